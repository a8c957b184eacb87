// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.kill.KillPoint;
import dev.verbena.integration.kill.KillReport;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.tpcds.QueryOutcome.Run;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Prints a table: a line a query and subject, as the results come in, and a summary. */
final class ConsoleReport {
  private static final double MEGABYTE = 1e6;

  private final PrintStream out;

  ConsoleReport(PrintStream out) {
    this.out = out;
  }

  void head() {
    out.printf(
        "%-6s %-16s %-13s %7s %8s %8s %9s %8s  %-44s %s%n",
        "query",
        "subject",
        "result",
        "rows",
        "wall s",
        "CPU s",
        "written",
        "wait s",
        "shuffle MB read, by carrier",
        "fallbacks");
  }

  void add(QueryOutcome outcome) {
    String query = outcome.query();
    for (Run run : outcome.runs()) {
      JobMetrics metrics = run.metrics();
      out.printf(
          Locale.ROOT,
          "%-6s %-16s %-13s %7d %8.2f %8.2f %9.1f %8.2f  %-44s %s%n",
          query,
          run.subject().name(),
          run.verdict().kind(),
          run.rows(),
          run.wallSeconds(),
          metrics.tasks().cpuNanos() / 1e9,
          metrics.shuffle().bytesWritten() / MEGABYTE,
          metrics.shuffle().fetchWaitMillis() / 1e3,
          read(run),
          fallbacks(metrics.carriers().fallbacks()));
      query = "";
    }
    outcome.runs().forEach(run -> checks(outcome.query() + " " + run.subject().name(), run));
    for (Run run : outcome.runs()) {
      run.faults()
          .forEach(
              fault ->
                  out.println(
                      "  ! " + outcome.query() + " " + run.subject().name() + ": " + fault));
    }
    out.flush();
  }

  private void checks(String what, Run run) {
    QueryOutcome.Checks checks = run.checks();
    if (checks.exchanges() != null) {
      out.println("  = " + what + ", map outputs: " + checks.exchanges().inWords());
      checks.exchanges().exempt().forEach(exempt -> out.println("    not compared: " + exempt));
    }
    if (checks.kill() != null) {
      kill(what, checks.point(), checks.kill());
    }
  }

  private void kill(String what, KillPoint point, KillReport kill) {
    if (kill.executor() != null) {
      out.printf(
          "  x %s, killed %s (executor %s, process %d): %s%n",
          what, point.inWords(), kill.executor(), kill.pid(), kill.seen().inWords());
    }
    if (kill.miss() != null) {
      out.println("  o " + what + ", a miss: " + kill.miss());
    }
  }

  void end(RunSummary summary) {
    out.println();
    summary.subjects().forEach((name, subject) -> out.println(name + ": " + subject.inWords()));
    if (summary.kills() != null) {
      out.println("kills: " + summary.kills().inWords());
    }
    summary.faults().forEach(fault -> out.println("! " + fault));
    out.println(summary.ok() ? "all is as it should be" : "NOT as it should be");
  }

  private static String read(Run run) {
    JobMetrics metrics = run.metrics();
    if (run.subject().isVanilla()) {
      return String.format(
          Locale.ROOT,
          "files %.2f, netty %.2f",
          metrics.shuffle().localBytesRead() / MEGABYTE,
          metrics.shuffle().remoteBytesRead() / MEGABYTE);
    }
    return metrics.carriers().bytes().entrySet().stream()
        .map(entry -> megabytes(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String megabytes(String carrier, long bytes) {
    return String.format(Locale.ROOT, "%s %.2f", carrier, bytes / MEGABYTE);
  }

  private static String fallbacks(SortedMap<String, Long> fallbacks) {
    long count = fallbacks.values().stream().mapToLong(Long::longValue).sum();
    if (count == 0) {
      return "0";
    }
    return fallbacks.entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .map((Map.Entry<String, Long> entry) -> entry.getKey() + " " + entry.getValue())
        .collect(Collectors.joining(", ", count + ": ", ""));
  }
}
