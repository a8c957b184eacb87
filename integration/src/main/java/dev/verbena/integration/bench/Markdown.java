// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Turns reports into the table of README.md. */
final class Markdown {
  private static final String RATIO_MARK = ".vs_";

  private Markdown() {}

  static String table(List<BenchReport> reports) {
    StringBuilder text = new StringBuilder();
    text.append("| case | Verbena (p50) | rival (p50) | times better | 95 % | medium | others |\n");
    text.append("|---|---|---|---|---|---|---|\n");
    for (BenchReport report : reports) {
      report.ratios().forEach((name, ratio) -> text.append(row(report, name, ratio)));
    }
    return text.toString();
  }

  private static String row(BenchReport report, String name, Ratio ratio) {
    int mark = name.lastIndexOf(RATIO_MARK);
    String metric = name.substring(0, mark);
    String rival = name.substring(mark + RATIO_MARK.length());
    Map<String, String> environment = report.environment();
    return String.format(
        Locale.ROOT,
        "| `%s %s` | %s | %s: %s | **%s** | %s to %s | %s | %s |%n",
        report.bench(),
        metric,
        report.results().stream()
            .filter(result -> result.metric().equals(metric) && !result.subject().equals(rival))
            .findFirst()
            .map(Markdown::median)
            .orElse("-"),
        rival,
        report.results().stream()
            .filter(result -> result.metric().equals(metric) && result.subject().equals(rival))
            .findFirst()
            .map(Markdown::median)
            .orElse("-"),
        number(ratio.value()),
        number(ratio.low()),
        number(ratio.high()),
        environment.getOrDefault("medium", "-"),
        environment.getOrDefault(BenchReport.othersKey(benchCase(metric)), "-"));
  }

  private static String benchCase(String metric) {
    return metric.substring(0, metric.lastIndexOf('.'));
  }

  private static String median(Result result) {
    return number(result.p50()) + " " + result.unit();
  }

  static String number(double value) {
    return value >= 100
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.3g", value);
  }
}
