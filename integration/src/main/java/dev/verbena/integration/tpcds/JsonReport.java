// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.sidebyside.CarrierShare;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.tpcds.QueryOutcome.Run;
import java.util.List;
import java.util.Map;

/**
 * What the command writes to the file of {@code --json}.
 *
 * @param kills null if no executor was to be killed
 */
record JsonReport(
    String bench,
    Environment environment,
    String scale,
    List<Setup> subjects,
    List<Query> queries,
    Map<String, RunSummary.SubjectTotals> totals,
    KillTotals kills,
    List<String> faults,
    boolean ok) {

  /**
   * Where it ran.
   *
   * @param localDirMedium the file system of {@code spark.local.dir}, the same for all subjects
   */
  record Environment(
      String sparkVersion,
      String javaVersion,
      String os,
      int cpus,
      String master,
      int executorMebibytes,
      String localDirMedium,
      Map<String, String> conf) {}

  /** A subject, and the configuration that makes it differ from the others. */
  record Setup(String name, String carrier, Map<String, String> conf) {}

  record Query(String query, List<Result> results) {}

  record Result(
      String subject,
      String verdict,
      String detail,
      int rows,
      double wallSeconds,
      double executorCpuSeconds,
      Double shareOnCarrier,
      JobMetrics metrics,
      QueryOutcome.Checks checks) {}

  static JsonReport of(
      Environment environment,
      Scale scale,
      List<SparkSubject> subjects,
      List<QueryOutcome> outcomes,
      RunSummary summary) {
    return new JsonReport(
        "tpcds",
        environment,
        scale.toString(),
        subjects.stream().map(s -> new Setup(s.name(), s.carrier(), s.conf())).toList(),
        outcomes.stream().map(JsonReport::query).toList(),
        summary.subjects(),
        summary.kills(),
        summary.faults(),
        summary.ok());
  }

  private static Query query(QueryOutcome outcome) {
    return new Query(outcome.query(), outcome.runs().stream().map(JsonReport::result).toList());
  }

  private static Result result(Run run) {
    SparkSubject subject = run.subject();
    return new Result(
        subject.name(),
        run.verdict().kind().toString(),
        run.verdict().detail(),
        run.rows(),
        run.wallSeconds(),
        run.metrics().tasks().cpuNanos() / 1e9,
        subject.isVanilla() ? null : CarrierShare.of(run.metrics(), subject.carrier()).value(),
        run.metrics(),
        run.checks());
  }
}
