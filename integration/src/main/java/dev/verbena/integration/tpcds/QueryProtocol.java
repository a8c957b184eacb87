// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.sidebyside.JobMetrics;

/** What a query server and its launcher say to each other. */
final class QueryProtocol {
  private QueryProtocol() {}

  /**
   * A query to run.
   *
   * @param name also tells its jobs from others'
   */
  record Request(String name, String sql) {}

  /**
   * What came of it.
   *
   * @param error null if there is a result
   * @param wallSeconds from the text to the last row
   */
  record Reply(String error, QueryResult result, double wallSeconds, JobMetrics metrics) {}
}
