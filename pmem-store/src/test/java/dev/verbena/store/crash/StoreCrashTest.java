// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short version; {@link LongStoreCrashTest} has more seeds. */
class StoreCrashTest {
  private static final long SEED = 1;

  @TempDir(factory = InMemory.class)
  Path directory;

  @Test
  @Timeout(600)
  void noCrashLosesOrShowsABlockThatItShouldNotOrLeaksSpace() {
    CrashTrial.run(new CrashSuite.Plan(directory, SEED, 1, 20, 24, 1));
  }

  @Test
  void aRemovalThatWaitsForTheDiskHoldsUpCommitsOfItsOwnKeyOnly() {
    new StoreLoader(null).suite().meet(directory);
  }

  @Test
  @Timeout(600)
  void withoutAnyOfTheSitesThatOrderPersistOrPublishACrashIsSeenToDoHarm() {
    CrashTrial.mutate(new CrashSuite.Plan(directory, SEED, 1, 20, 24, 0));
  }
}
