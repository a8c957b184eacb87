// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What {@code bench persist} prints as it goes, and writes at the end. */
final class PersistReport {
  private static final double MOST_SERVER_PERCENT = 1;

  private final PrintWriter out;
  private final Map<String, String> environment;
  private final List<Result> results = new ArrayList<>();
  private final Map<String, Ratio> ratios = new LinkedHashMap<>();

  PersistReport(PrintWriter out, Map<String, String> environment) {
    this.out = out;
    this.environment = environment;
    environment.forEach((key, value) -> out.printf("%s: %s%n", key, value));
  }

  /**
   * Two subjects' figures.
   *
   * @param others how busy others kept the machine
   * @param target what the ratio is to be, 0 for none
   */
  void add(Comparison comparison, String others, double target) {
    Metric metric = comparison.metric();
    results.add(comparison.ours());
    results.add(comparison.rival());
    ratios.put(comparison.ratioName(), comparison.ratio());
    environment.put(BenchReport.othersKey(metric.benchCase()), others);
    out.printf("%n%s  others=%s%n", metric.fullName(), others);
    for (Result result : List.of(comparison.ours(), comparison.rival())) {
      out.printf(
          "  %-14s p50 %10s  p99 %10s %s, %d rounds%n",
          result.subject(),
          Markdown.number(result.p50()),
          Markdown.number(result.p99()),
          result.unit(),
          result.runs());
    }
    Ratio ratio = comparison.ratio();
    out.printf(
        "  ratio %s, 95 %% interval %s to %s (%s)%n",
        Markdown.number(ratio.value()),
        Markdown.number(ratio.low()),
        Markdown.number(ratio.high()),
        target == 0
            ? "no target"
            : "target " + Markdown.number(target) + ": " + ratio.verdict(target));
    out.flush();
  }

  /** Where a subject's time goes, as a mean over its rounds. */
  void add(String benchCase, String subject, List<AppendSplit> rounds) {
    Map<String, ToDoubleFunction<AppendSplit>> parts = new LinkedHashMap<>();
    parts.put("post_and_wire", AppendSplit::carried);
    parts.put("wake", AppendSplit::wake);
    parts.put("copy", AppendSplit::copy);
    parts.put("persist", AppendSplit::persist);
    out.printf("  %-14s", subject);
    parts.forEach(
        (part, of) -> {
          double mean = rounds.stream().mapToDouble(of).average().orElseThrow();
          results.add(single(subject, benchCase + "." + part, "us", mean, rounds.size()));
          out.printf("  %s %s", part, Markdown.number(Result.rounded(mean)));
        });
    out.printf(" us%n");
    out.flush();
  }

  /** What appends cost the server's process. */
  void add(int appends, ServerCost direct, ServerCost conventional) {
    out.printf("%nserver's process over %d appends of 64 bytes%n", appends);
    cost("direct", direct);
    cost("conventional", conventional);
    double cpu = 100 * direct.cpuSeconds() / Math.max(0.01, conventional.cpuSeconds());
    double switches = 100.0 * direct.switches() / Math.max(1, conventional.switches());
    out.printf(
        "  direct of conventional: CPU %.2f %% (%s), context switches %.2f %% (%s); target %s %%%n",
        cpu, verdict(cpu), switches, verdict(switches), Markdown.number(MOST_SERVER_PERCENT));
    out.flush();
  }

  private static String verdict(double percent) {
    return percent <= MOST_SERVER_PERCENT ? "met" : "missed";
  }

  private void cost(String subject, ServerCost cost) {
    out.printf(
        "  %-14s CPU %10s s, context switches %d%n",
        subject, Markdown.number(cost.cpuSeconds()), cost.switches());
    results.add(single(subject, "server_64B.cpu", "s", cost.cpuSeconds(), 1));
    results.add(single(subject, "server_64B.switches", "count", (double) cost.switches(), 1));
  }

  private static Result single(
      String subject, String metric, String unit, double value, int rounds) {
    double rounded = Result.rounded(value);
    return new Result(subject, metric, unit, rounded, rounded, rounded, rounded, rounds);
  }

  void write(Path json) {
    new BenchReport("persist", environment, results, ratios).write(json);
  }
}
