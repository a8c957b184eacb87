// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.sql.execution.ReusedSubqueryExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import scala.jdk.javaapi.CollectionConverters;

/** Walks physical plans, sub-queries and what is used again included. */
final class Exchanges {
  private static final String PARTITIONS = "numPartitions";

  private Exchanges() {}

  /** The exchanges of a plan that was run, each once, in the order of the plan. */
  static List<ShuffleExchangeExec> in(SparkPlan plan) {
    List<ShuffleExchangeExec> exchanges = new ArrayList<>();
    walk(
        plan,
        node -> {
          if (node instanceof ShuffleExchangeExec exchange && wasRun(exchange)) {
            exchanges.add(exchange);
          }
        });
    return exchanges;
  }

  /** Hands out a plan and all that it takes rows or values from, each node once. */
  static void walk(SparkPlan plan, Consumer<SparkPlan> visitor) {
    walk(plan, visitor, Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  private static void walk(SparkPlan plan, Consumer<SparkPlan> visitor, Set<SparkPlan> visited) {
    if (!visited.add(plan)) {
      return;
    }
    visitor.accept(plan);
    CollectionConverters.asJava(plan.children()).forEach(child -> walk(child, visitor, visited));
    CollectionConverters.asJava(plan.subqueries()).forEach(query -> walk(query, visitor, visited));
    if (plan instanceof ReusedExchangeExec reused) {
      walk(reused.child(), visitor, visited);
    }
    if (plan instanceof ReusedSubqueryExec reused) {
      walk(reused.child(), visitor, visited);
    }
  }

  /** To ask another one for its shuffle would make it, and may run a job. */
  private static boolean wasRun(ShuffleExchangeExec exchange) {
    return exchange.metrics().apply(PARTITIONS).value() > 0;
  }
}
