// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.exchange.Shuffle;
import dev.verbena.integration.kill.KillPoint;
import dev.verbena.integration.kill.KillPoints;
import dev.verbena.integration.kill.KillReport;
import dev.verbena.integration.sidebyside.JobMetrics;
import java.util.List;

/** What a query server and its launcher say to each other. */
final class QueryProtocol {
  private QueryProtocol() {}

  /**
   * A query to run.
   *
   * @param name also tells its jobs from others'
   * @param shuffles whether to tell what its map tasks wrote
   * @param kill when to kill an executor; null for never
   */
  record Request(String name, String sql, boolean shuffles, KillPoint kill) {
    /** Just to run. */
    static Request plain(String name, String sql) {
      return new Request(name, sql, false, null);
    }
  }

  /**
   * What came of it.
   *
   * @param error null if there is a result
   * @param wallSeconds from the text to the last row
   * @param points where the loss of an executor would have hurt; of a query that lost none
   * @param shuffles in the order of the plan; empty if they were not asked for
   * @param kill null if none was asked for
   */
  record Reply(
      String error,
      QueryResult result,
      double wallSeconds,
      JobMetrics metrics,
      KillPoints points,
      List<Shuffle> shuffles,
      KillReport kill) {
    /** Of an application that has broken down. */
    static Reply none(String error, double wallSeconds) {
      return new Reply(error, null, wallSeconds, JobMetrics.NONE, KillPoints.NONE, List.of(), null);
    }
  }
}
