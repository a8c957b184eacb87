// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuWatchTest {
  @Test
  void othersAreAShareOfTheMachine() {
    CpuWatch watch = CpuWatch.start();
    long end = System.nanoTime() + 100_000_000;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
    String others = watch.others();
    assertThat(others).endsWith(" %");
    assertThat(Integer.parseInt(others.substring(0, others.length() - 2))).isBetween(0, 100);
  }
}
