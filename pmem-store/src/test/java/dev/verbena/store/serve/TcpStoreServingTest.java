// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TcpStoreServingTest extends StoreServingContract {
  @Override
  boolean tcpOnly() {
    return true;
  }

  @Override
  String carrier() {
    return "tcp";
  }

  @Test
  void nothingCanBeMapped() {
    child().write(0, 1, 1, 100);

    assertThat(client().openMapped(child().endpoint(), range(0))).isEmpty();
  }
}
