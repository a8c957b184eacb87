// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/** The jobs whose results must not depend on the shuffle manager. */
final class Checks {
  private static final Map<String, Check> ALL = new LinkedHashMap<>();

  static {
    ALL.putAll(RddChecks.all());
    ALL.putAll(SqlChecks.all());
  }

  private Checks() {}

  /** One of them. */
  @FunctionalInterface
  interface Check {
    Found run(SparkSession spark);
  }

  /**
   * What it found.
   *
   * @param rows the result, in an order that is the same in each run
   * @param plan the query's final plan, if it was a query
   */
  record Found(List<String> rows, String plan) {
    static Found of(List<String> rows) {
      return new Found(rows, "");
    }
  }

  static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  static Check named(String name) {
    Check check = ALL.get(name);
    if (check == null) {
      throw new IllegalArgumentException("no check " + name + "; there are " + names());
    }
    return check;
  }
}
