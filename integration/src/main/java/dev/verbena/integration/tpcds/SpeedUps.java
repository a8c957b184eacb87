// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.bench.Metric;
import dev.verbena.integration.bench.Ratio;
import dev.verbena.integration.html.RatioChart.Row;
import dev.verbena.integration.tpcds.JsonReport.Result;
import java.util.ArrayList;
import java.util.List;

/**
 * How many times faster a subject was than the reference, by wall time. A query that failed on
 * either of the two is left out.
 */
final class SpeedUps {
  /** Names the row over all queries. */
  static final String ALL = "all";

  private SpeedUps() {}

  /**
   * Of all queries together, if there are two at least, and of each.
   *
   * @param reference the subject that the other is held against
   */
  static List<Row> of(List<RunsOfQuery> queries, String reference, String subject) {
    List<RunsOfQuery> both =
        queries.stream()
            .filter(runs -> runs.hasResults(reference) && runs.hasResults(subject))
            .toList();
    List<Row> rows = new ArrayList<>();
    if (both.size() > 1) {
      rows.add(row(ALL, means(both, subject), means(both, reference)));
    }
    for (RunsOfQuery runs : both) {
      rows.add(
          row(
              runs.query(),
              runs.each(subject, Result::wallSeconds),
              runs.each(reference, Result::wallSeconds)));
    }
    return rows;
  }

  private static Row row(String name, double[] ours, double[] theirs) {
    if (ours.length == 1) {
      double value = theirs[0] / ours[0];
      return new Row(name, value, value, value);
    }
    Ratio ratio = Ratio.ofPairs(ours, theirs, Metric.Better.LOWER);
    return new Row(name, ratio.value(), ratio.low(), ratio.high());
  }

  private static double[] means(List<RunsOfQuery> queries, String subject) {
    return queries.stream().mapToDouble(runs -> runs.mean(subject, Result::wallSeconds)).toArray();
  }
}
