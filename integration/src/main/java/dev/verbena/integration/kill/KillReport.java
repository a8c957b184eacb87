// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import java.util.List;
import java.util.Set;

/**
 * What came of a kill.
 *
 * @param executor its id; null if none was killed
 * @param pid its process
 * @param seen what befell the query
 * @param miss why the kill shows nothing; null if it hit
 * @param memory files in memory that the executors had mapped
 */
public record KillReport(
    String executor, long pid, LossCounts seen, String miss, Set<String> memory) {
  private static final int RETRIES_WITH_ONE_LOSS = 1;

  static KillReport of(String executor, long pid, LossCounts seen, Set<String> memory) {
    return new KillReport(executor, pid, seen, miss(executor, seen), memory);
  }

  private static String miss(String executor, LossCounts seen) {
    if (executor == null) {
      return "the point was not reached";
    }
    return seen.workRepeated()
        ? null
        : "nothing that executor " + executor + " had written was missed";
  }

  /** Why the query has not shown what it should; empty if it has. A miss is no fault. */
  public List<String> faults() {
    return seen.mostRetries() > RETRIES_WITH_ONE_LOSS
        ? List.of(
            "a stage was retried " + seen.mostRetries() + " times after the loss of one executor")
        : List.of();
  }
}
