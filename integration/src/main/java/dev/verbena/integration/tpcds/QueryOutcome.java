// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.exchange.ExchangeComparison;
import dev.verbena.integration.kill.KillPoint;
import dev.verbena.integration.kill.KillReport;
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
   * @param checks what else was looked at
   */
  record Run(
      SparkSubject subject,
      Verdict verdict,
      int rows,
      double wallSeconds,
      JobMetrics metrics,
      Checks checks) {
    /** Why this run breaks the promise of the command; empty if it keeps it. */
    List<String> faults() {
      List<String> faults = new ArrayList<>();
      if (verdict.isBad()) {
        faults.add(verdict.kind() + ": " + verdict.detail());
      }
      // Of a query that lost an executor too. A block of the dead is tried on all carriers, fails
      // on each and ends its task as FetchFailed, whose counts Spark drops; so a fallback that is
      // seen here brought its block, and no block of the dead can be brought.
      faults.addAll(subject.faults(metrics));
      if (checks.kill() != null) {
        faults.addAll(checks.kill().faults());
      }
      if (checks.exchanges() != null) {
        faults.addAll(checks.exchanges().differences());
      }
      return faults;
    }
  }

  /**
   * What was looked at beside result and traffic.
   *
   * @param exchanges what map tasks wrote, against the reference; null if it was not asked for
   * @param point when an executor was to be killed; null for never
   * @param kill what came of it; null if there was none
   */
  record Checks(ExchangeComparison exchanges, KillPoint point, KillReport kill) {
    static final Checks NONE = new Checks(null, null, null);
  }
}
