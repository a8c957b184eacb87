// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.sidebyside.CarrierShare;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.tpcds.QueryOutcome.Run;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What came of all queries.
 *
 * @param subjects by name
 * @param kills null if no executor was to be killed
 * @param faults why the run has not shown what it should; empty if it has
 */
record RunSummary(Map<String, SubjectTotals> subjects, KillTotals kills, List<String> faults) {
  /**
   * The totals of a subject.
   *
   * @param verdicts how many queries ended so
   * @param carrier the carrier that was asked for; null for stock Spark
   * @param shareOnCarrier of the shuffle bytes, its own store aside; null for stock Spark
   */
  record SubjectTotals(
      Map<Verdict.Kind, Integer> verdicts,
      double wallSeconds,
      JobMetrics metrics,
      String carrier,
      Double shareOnCarrier) {
    String inWords() {
      String results =
          verdicts.entrySet().stream()
              .map(entry -> entry.getValue() + " " + entry.getKey())
              .collect(Collectors.joining(", "));
      String figures =
          String.format(
              Locale.ROOT,
              "%s; wall %.1f s, executor CPU %.1f s, shuffle written %.1f MB",
              results,
              wallSeconds,
              metrics.tasks().cpuNanos() / 1e9,
              metrics.shuffle().bytesWritten() / 1e6);
      if (carrier == null) {
        return figures;
      }
      return figures
          + String.format(
              Locale.ROOT,
              ", %.2f %% of what was read from other stores over %s, %d fallbacks",
              shareOnCarrier * 100,
              carrier,
              metrics.carriers().fallbackCount());
    }
  }

  static RunSummary of(List<QueryOutcome> outcomes) {
    Map<String, List<Run>> bySubject = new LinkedHashMap<>();
    List<String> faults = new ArrayList<>();
    for (QueryOutcome outcome : outcomes) {
      for (Run run : outcome.runs()) {
        bySubject.computeIfAbsent(run.subject().name(), name -> new ArrayList<>()).add(run);
        if (!run.faults().isEmpty()) {
          faults.add(outcome.query() + " on " + run.subject().name() + " has faults, see above");
        }
      }
    }
    Map<String, SubjectTotals> totals = new LinkedHashMap<>();
    bySubject.forEach(
        (name, runs) -> {
          SparkSubject subject = runs.get(0).subject();
          totals.put(name, totals(subject, runs));
          if (!subject.isVanilla() && carried(subject, runs).asked() == 0) {
            faults.add(name + ": no shuffle byte went over " + subject.carrier());
          }
        });
    return new RunSummary(totals, KillTotals.of(outcomes), faults);
  }

  /** The same with further faults. */
  RunSummary with(List<String> more) {
    List<String> all = new ArrayList<>(faults);
    all.addAll(more);
    return new RunSummary(subjects, kills, all);
  }

  boolean ok() {
    return faults.isEmpty();
  }

  private static SubjectTotals totals(SparkSubject subject, List<Run> runs) {
    Map<Verdict.Kind, Integer> verdicts = new EnumMap<>(Verdict.Kind.class);
    runs.forEach(run -> verdicts.merge(run.verdict().kind(), 1, Integer::sum));
    double wall = runs.stream().mapToDouble(Run::wallSeconds).sum();
    return new SubjectTotals(
        verdicts,
        wall,
        metrics(runs),
        subject.carrier(),
        subject.isVanilla() ? null : carried(subject, runs).value());
  }

  private static CarrierShare carried(SparkSubject subject, List<Run> runs) {
    return CarrierShare.of(metrics(runs), subject.carrier());
  }

  private static JobMetrics metrics(List<Run> runs) {
    return runs.stream().map(Run::metrics).reduce(JobMetrics.NONE, JobMetrics::plus);
  }
}
