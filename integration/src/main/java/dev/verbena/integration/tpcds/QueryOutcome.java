// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.util.ArrayList;
import java.util.List;

/**
 * What came of one query.
 *
 * @param query its name
 * @param runs of each subject, in the order in which they ran
 */
record QueryOutcome(String query, List<Run> runs) {
  /**
   * One subject's run of the query.
   *
   * @param verdict against the reference
   * @param rows of the result; 0 if it has none
   */
  record Run(Subject subject, Verdict verdict, int rows, double wallSeconds, QueryMetrics metrics) {
    /** Why this run breaks the promise of the command; empty if it keeps it. */
    List<String> faults() {
      List<String> faults = new ArrayList<>();
      if (verdict.isBad()) {
        faults.add(verdict.kind() + ": " + verdict.detail());
      }
      if (subject.isVanilla()) {
        return faults;
      }
      if (metrics.carriers().fallbackCount() > 0) {
        faults.add("fallbacks " + metrics.carriers().fallbacks());
      }
      CarrierShare share = CarrierShare.of(metrics, subject.carrier());
      if (!share.isEnough()) {
        faults.add(
            "%.2f %% of shuffle bytes over %s: %s of %d that Spark read"
                .formatted(
                    share.value() * 100,
                    subject.carrier(),
                    metrics.carriers().bytes(),
                    metrics.shuffle().bytesRead()));
      }
      return faults;
    }
  }
}
