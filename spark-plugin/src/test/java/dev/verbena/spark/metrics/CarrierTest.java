// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class CarrierTest {
  @Test
  void everyLabelNamesItsCarrierAndAnotherIsAnErrorThatNamesTheKnownOnes() {
    for (Carrier carrier : Carrier.values()) {
      assertThat(Carrier.labelled(carrier.label())).isEqualTo(carrier);
    }
    assertThatThrownBy(() -> Carrier.labelled("pigeon"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("carrier 'pigeon', expected one of [own, mapped, shm, tcp, netty]");
  }
}
