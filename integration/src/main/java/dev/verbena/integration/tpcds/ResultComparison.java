// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.tpcds.QueryResult.Column;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether two results are equal: of the same schema, and the same multiset of rows. Floating-point
 * cells may differ by a relative error of 1e-9, as the order of addition is not fixed; all other
 * cells are equal or not. Rows that are equal in their other cells are paired so that the
 * floating-point ones agree.
 */
final class ResultComparison {
  private final QueryResult expected;
  private final QueryResult actual;

  private ResultComparison(QueryResult expected, QueryResult actual) {
    this.expected = expected;
    this.actual = actual;
  }

  static Verdict compare(QueryResult expected, QueryResult actual) {
    return new ResultComparison(expected, actual).verdict();
  }

  private Verdict verdict() {
    if (!expected.columns().equals(actual.columns())) {
      return different("schema " + expected.columns() + " against " + actual.columns());
    }
    if (expected.rows().size() != actual.rows().size()) {
      return different(expected.rows().size() + " rows against " + actual.rows().size());
    }
    if (expected.rows().isEmpty()) {
      return Verdict.of(Verdict.Kind.EMPTY);
    }
    Map<List<String>, List<List<Double>>> wanted = byExactCells(expected);
    Map<List<String>, List<List<Double>>> found = byExactCells(actual);
    for (Map.Entry<List<String>, List<List<Double>>> group : wanted.entrySet()) {
      List<List<Double>> left = group.getValue();
      List<List<Double>> right = found.getOrDefault(group.getKey(), List.of());
      if (left.size() != right.size()) {
        return different(
            left.size() + " times against " + right.size() + ": row with " + group.getKey());
      }
      if (!new ApproximatePairing(left, right).isPerfect()) {
        return different(left + " against " + right + ": row with " + group.getKey());
      }
    }
    return Verdict.of(Verdict.Kind.EQUAL);
  }

  /** The floating-point cells of the rows that have the same other cells. */
  private static Map<List<String>, List<List<Double>>> byExactCells(QueryResult result) {
    List<Column> columns = result.columns();
    Map<List<String>, List<List<Double>>> groups = new HashMap<>();
    for (List<String> row : result.rows()) {
      if (row.size() != columns.size()) {
        throw new IllegalArgumentException(row + " has not " + columns.size() + " cells");
      }
      List<String> exact = new ArrayList<>();
      List<Double> approximate = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        String cell = row.get(i);
        if (columns.get(i).isFloatingPoint()) {
          approximate.add(cell == null ? null : Double.valueOf(cell));
        } else {
          exact.add(cell);
        }
      }
      groups.computeIfAbsent(exact, key -> new ArrayList<>()).add(approximate);
    }
    return groups;
  }

  private static Verdict different(String detail) {
    return new Verdict(Verdict.Kind.DIFFERENT, detail);
  }
}
