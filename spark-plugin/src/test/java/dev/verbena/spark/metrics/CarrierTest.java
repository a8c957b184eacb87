// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CarrierTest {
  @Test
  void everyLabelNamesItsCarrierAndADriverIsACardsCarrier() {
    for (Carrier carrier : Carrier.values()) {
      assertThat(Carrier.labelled(carrier.label())).isEqualTo(carrier);
    }
    assertThat(Carrier.labelled("mlx5_core")).isEqualTo(Carrier.RDMA);
  }
}
