// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.kill.KillReport;
import dev.verbena.integration.kill.LossCounts;
import java.util.List;
import java.util.Objects;

/**
 * What came of all kills.
 *
 * @param hit kills after which something had to be made again
 * @param missed kills that show nothing, and were drawn again
 * @param seen the sums of all, misses included
 */
record KillTotals(int hit, int missed, LossCounts seen) {
  /** Those of a run; null if no executor was to be killed. */
  static KillTotals of(List<QueryOutcome> outcomes) {
    List<KillReport> kills =
        outcomes.stream()
            .flatMap(outcome -> outcome.runs().stream())
            .map(run -> run.checks().kill())
            .filter(Objects::nonNull)
            .toList();
    if (kills.isEmpty()) {
      return null;
    }
    int missed = (int) kills.stream().filter(kill -> kill.miss() != null).count();
    LossCounts seen =
        kills.stream().map(KillReport::seen).reduce(LossCounts.NONE, LossCounts::plus);
    return new KillTotals(kills.size() - missed, missed, seen);
  }

  String inWords() {
    return hit + " hit, " + missed + " missed; " + seen.inWords();
  }
}
