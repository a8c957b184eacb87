// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.tpcds.JsonReport.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * All runs of one query, by subject, in the order of the rounds.
 *
 * @param query its name
 */
record RunsOfQuery(String query, Map<String, List<Result>> bySubject) {
  /** Gathers the rounds of a report, the queries in the order of the first. */
  static List<RunsOfQuery> of(JsonReport report) {
    Map<String, RunsOfQuery> byName = new LinkedHashMap<>();
    for (JsonReport.Query query : report.queries()) {
      RunsOfQuery runs =
          byName.computeIfAbsent(
              query.query(), name -> new RunsOfQuery(name, new LinkedHashMap<>()));
      for (Result result : query.results()) {
        runs.bySubject.computeIfAbsent(result.subject(), name -> new ArrayList<>()).add(result);
      }
    }
    return List.copyOf(byName.values());
  }

  /** The runs of one subject. */
  List<Result> of(String subject) {
    return bySubject.getOrDefault(subject, List.of());
  }

  /** A figure's mean over a subject's runs; 0 if there is none. */
  double mean(String subject, ToDoubleFunction<Result> figure) {
    return of(subject).stream().mapToDouble(figure).average().orElse(0);
  }

  /** A figure of each of a subject's runs. */
  double[] each(String subject, ToDoubleFunction<Result> figure) {
    return of(subject).stream().mapToDouble(figure).toArray();
  }

  /** Whether a subject has an outcome in every round. */
  boolean hasResults(String subject) {
    String failed = Verdict.Kind.FAILED.toString();
    return !of(subject).isEmpty()
        && of(subject).stream().noneMatch(result -> result.verdict().equals(failed));
  }
}
