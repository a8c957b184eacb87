// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import java.nio.file.Path;

/** Runs the store through its histories, with crashes; loaded once for each copy of the store. */
public interface CrashSuite {
  /**
   * How much to do.
   *
   * @param directory where pools are made
   * @param seed decides every choice
   * @param images images taken by seed at each place, besides the fixed ones
   * @param recoveryCrashes of each place's recovery, one of so many places is crashed again
   * @param longPlaces of the longer scripts, a crash is taken at one of so many places
   * @param histories random histories
   */
  record Plan(
      Path directory, long seed, int images, int recoveryCrashes, int longPlaces, int histories) {}

  /**
   * What was done.
   *
   * @param places places where a crash was taken
   * @param cases crashes that were recovered from and checked
   */
  record Tally(long places, long cases) {}

  /** Lets commits meet a removal that waits for the disk; what is wrong is thrown. */
  void meet(Path directory);

  /** Runs the plan; the first thing that is wrong is thrown. */
  Tally run(Plan plan);
}
