// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.exchange.ExchangeComparison;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.SparkSubject;
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
   * @param exchanges what map tasks wrote, against the reference; null if it was not asked for
   */
  record Run(
      SparkSubject subject,
      Verdict verdict,
      int rows,
      double wallSeconds,
      JobMetrics metrics,
      ExchangeComparison exchanges) {
    /** Why this run breaks the promise of the command; empty if it keeps it. */
    List<String> faults() {
      List<String> faults = new ArrayList<>();
      if (verdict.isBad()) {
        faults.add(verdict.kind() + ": " + verdict.detail());
      }
      faults.addAll(subject.faults(metrics));
      if (exchanges != null) {
        faults.addAll(exchanges.differences());
      }
      return faults;
    }
  }
}
