// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Crashes with more seeds, which are printed; {@code -Dverbena.crash.seed=N} begins with N. */
@Tag("crash")
class LongStoreCrashTest {
  private static final int SEEDS = 2;
  private static final long FIRST_SEED = 100;

  @TempDir(factory = InMemory.class)
  Path directory;

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void noCrashLosesOrShowsABlockThatItShouldNotOrLeaksSpace() {
    long first = Long.getLong("verbena.crash.seed", FIRST_SEED);
    for (int i = 0; i < SEEDS; i++) {
      CrashTrial.run(new CrashSuite.Plan(directory, first + i, 1, 20, 12, 4));
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void withoutAnyOfTheSitesThatOrderPersistOrPublishACrashIsSeenToDoHarm() {
    long first = Long.getLong("verbena.crash.seed", FIRST_SEED);
    CrashTrial.mutate(new CrashSuite.Plan(directory, first, 1, 10, 4, 0));
  }
}
