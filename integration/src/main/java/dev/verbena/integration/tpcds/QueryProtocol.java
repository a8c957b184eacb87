// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

/**
 * What a query server and its launcher say to each other over a loopback connection: a line of JSON
 * a message. The server greets once; then each request is answered before the next. The launcher's
 * closing of the connection ends the server.
 */
final class QueryProtocol {
  /** Holds the token that a server proves itself with. */
  static final String TOKEN_VARIABLE = "VERBENA_QUERY_TOKEN";

  private QueryProtocol() {}

  /**
   * The server's first message: its application has all its executors, and knows the tables.
   *
   * @param token what the launcher gave it
   */
  record Hello(String token, String applicationId, String sparkVersion) {}

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
  record Reply(String error, QueryResult result, double wallSeconds, QueryMetrics metrics) {}
}
