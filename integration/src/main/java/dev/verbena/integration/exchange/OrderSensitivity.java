// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NTile;
import org.apache.spark.sql.catalyst.expressions.OffsetWindowFunction;
import org.apache.spark.sql.catalyst.expressions.RowNumber;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.BloomFilterAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.catalyst.plans.physical.RangePartitioning;
import org.apache.spark.sql.execution.LimitExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.TakeOrderedAndProjectExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegralType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Why what a plan yields may depend on the order in which blocks arrive, and so differ between two
 * runs that are both right.
 */
final class OrderSensitivity {
  static final String LIMIT = "above a LIMIT";
  static final String FLOATING = "above a floating-point aggregate";
  static final String ORDER = "above a function of the order of rows";
  static final String SAMPLE = "ranges are drawn from a sample";

  private final Set<String> reasons = new LinkedHashSet<>();

  private OrderSensitivity() {}

  /** The reasons; empty if the rows in each map task's partitions are always the same. */
  static String of(SparkPlan plan) {
    OrderSensitivity found = new OrderSensitivity();
    Exchanges.walk(plan, found::look);
    return String.join(", ", found.reasons);
  }

  private void look(SparkPlan node) {
    if (node instanceof LimitExec || node instanceof TakeOrderedAndProjectExec) {
      reasons.add(LIMIT);
    }
    if (node instanceof ShuffleExchangeExec exchange
        && exchange.outputPartitioning() instanceof RangePartitioning) {
      reasons.add(SAMPLE);
    }
    CollectionConverters.asJava(node.expressions()).forEach(this::look);
  }

  private void look(Expression expression) {
    if (expression instanceof AggregateFunction aggregate) {
      look(aggregate);
    }
    if (expression instanceof RowNumber
        || expression instanceof NTile
        || expression instanceof OffsetWindowFunction) {
      reasons.add(ORDER);
    }
    CollectionConverters.asJava(expression.children()).forEach(this::look);
  }

  private void look(AggregateFunction aggregate) {
    if (!aggregate.deterministic()
        || (aggregate instanceof TypedImperativeAggregate
            && !(aggregate instanceof BloomFilterAggregate))) {
      reasons.add(ORDER);
    }
    if (sumsUpFractions(aggregate)) {
      reasons.add(FLOATING);
    }
  }

  /**
   * Whether additions are rounded, so that their order matters. An average of integers is a sum of
   * whole numbers in a double, which is exact below 2^53; Spark turns short decimals into that too.
   */
  private static boolean sumsUpFractions(AggregateFunction aggregate) {
    if (aggregate instanceof Min || aggregate instanceof Max) {
      return false;
    }
    if (aggregate instanceof Average average
        && average.child().dataType() instanceof IntegralType) {
      return false;
    }
    return CollectionConverters.asJava(aggregate.aggBufferAttributes()).stream()
        .anyMatch(buffer -> isFloating(buffer.dataType()));
  }

  private static boolean isFloating(DataType type) {
    return type instanceof DoubleType || type instanceof FloatType;
  }
}
