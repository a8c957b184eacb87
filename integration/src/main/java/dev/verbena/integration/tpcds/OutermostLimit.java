// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.analysis.UnresolvedOrdinal;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortDirection;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Makes a query's result independent of the order in which rows arrive: its outermost LIMIT gets
 * all output columns appended to its ORDER BY, as ordinals. It works on the parsed plan, so that
 * limits in sub-queries stay as they are.
 */
final class OutermostLimit {
  private OutermostLimit() {}

  /**
   * The plan with its outermost LIMIT ordered; a plan without one is returned as it is.
   *
   * @param parsed as the parser gives it
   * @param columns how many columns the query has
   */
  static LogicalPlan ordered(LogicalPlan parsed, int columns) {
    if (parsed instanceof UnresolvedWith || parsed instanceof GlobalLimit) {
      LogicalPlan child = onlyChild(parsed);
      return withChild(
          parsed, parsed instanceof GlobalLimit ? below(child, columns) : ordered(child, columns));
    }
    return parsed;
  }

  private static LogicalPlan below(LogicalPlan limited, int columns) {
    if (limited instanceof LocalLimit) {
      return withChild(limited, below(onlyChild(limited), columns));
    }
    List<SortOrder> order = new ArrayList<>();
    LogicalPlan sorted = limited;
    if (limited instanceof Sort sort && sort.global()) {
      order.addAll(CollectionConverters.asJava(sort.order()));
      sorted = sort.child();
    }
    for (int ordinal = 1; ordinal <= columns; ordinal++) {
      order.add(ascending(ordinal));
    }
    return new Sort(seq(order), true, sorted, Option.empty());
  }

  private static SortOrder ascending(int ordinal) {
    SortDirection direction = Ascending$.MODULE$;
    Seq<Expression> none = seq(List.of());
    return new SortOrder(
        new UnresolvedOrdinal(ordinal), direction, direction.defaultNullOrdering(), none);
  }

  private static LogicalPlan onlyChild(LogicalPlan plan) {
    return plan.children().head();
  }

  private static LogicalPlan withChild(LogicalPlan plan, LogicalPlan child) {
    return plan.withNewChildren(seq(List.of(child)));
  }

  private static <T> Seq<T> seq(List<T> elements) {
    return CollectionConverters.asScala(elements).toSeq();
  }
}
