// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;

/**
 * Plans as text that does not depend on the application: without the numbers that Spark gives to
 * expressions and nodes as it makes them, as in its own PlanStabilitySuite.
 */
final class PlanText {
  private PlanText() {}

  static String name(ShuffleExchangeExec exchange) {
    return normalized("Exchange " + exchange.outputPartitioning());
  }

  /** An exchange and all below it. */
  static String plan(ShuffleExchangeExec exchange) {
    return normalized(exchange.treeString());
  }

  static String normalized(String text) {
    return text.replaceAll("#\\d+L?", "").replaceAll(",? ?\\[?plan_id=\\d+]?", "");
  }
}
