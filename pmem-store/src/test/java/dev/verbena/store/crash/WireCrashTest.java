// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Losses of power under writers elsewhere, over the software NIC, and without what they persist.
 */
class WireCrashTest {
  private static final long SEED = 1;

  @Test
  void noCrashLosesAnEntryThatWasAppendedFromElsewhereOrShowsHalfOfOne() {
    long cases = new StoreLoader(null).wireSuite().run(SEED);
    System.out.printf("crash: wire: seed %d, %d cases checked%n", SEED, cases);
    assertThat(cases).isPositive();
  }

  @Test
  @Timeout(600)
  void withoutAnyOfTheStepsThatPersistOrPublishACrashIsSeenToDoHarm() {
    CrashTrial.mutate(
        new StoreClasses().wireMutants(), SEED, loader -> loader.wireSuite().run(SEED));
  }
}
