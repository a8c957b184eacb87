// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.bench.ShuffleProtocol.Reply;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.SparkSubject;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints a line a run as it comes in, and what came of a case. */
final class ShuffleReport implements ShuffleBench.Listener {
  private static final double MEGABYTE = 1e6;

  private final PrintWriter out;
  private double others;

  ShuffleReport(PrintWriter out) {
    this.out = out;
  }

  void begin(String benchCase, SparkSubject ours, SparkSubject rival) {
    others = 0;
    out.printf("%n%s%n", benchCase);
    for (SparkSubject subject : List.of(ours, rival)) {
      out.printf("  %s: %s%n", subject.name(), subject.conf());
    }
    out.flush();
  }

  /** The most that others used of the machine during a counted run of this case: "4 %" say. */
  String others() {
    return percent(others);
  }

  @Override
  public void ran(SparkSubject subject, Reply run, boolean counted) {
    if (counted) {
      others = Math.max(others, run.others());
    }
    JobMetrics metrics = run.metrics();
    out.printf(
        Locale.ROOT,
        "  %-8s %-13s wall %6.2f s (map %.2f, reduce %.2f)  executor CPU %6.2f s  others=%s"
            + "  %d records %.3f MB written, %d records %.3f MB read: %s%s%n",
        counted ? "" : "warm-up",
        subject.name(),
        run.wallSeconds(),
        run.mapSeconds(),
        run.reduceSeconds(),
        run.executorCpuSeconds(),
        percent(run.others()),
        metrics.shuffle().recordsWritten(),
        metrics.shuffle().bytesWritten() / MEGABYTE,
        metrics.shuffle().recordsRead(),
        metrics.shuffle().bytesRead() / MEGABYTE,
        carriers(subject, metrics),
        run.digest() == null ? "" : String.format(", checksum %016x", run.digest().checksum()));
    out.flush();
  }

  void end(List<Comparison> comparisons, double target) {
    for (Comparison comparison : comparisons) {
      Ratio ratio = comparison.ratio();
      out.printf(
          Locale.ROOT,
          "  %-36s %s s against %s s: ratio %s, 95 %% interval %s to %s (target: at least %s;"
              + " %s)%n",
          comparison.ratioName(),
          Markdown.number(comparison.ours().p50()),
          Markdown.number(comparison.rival().p50()),
          Markdown.number(ratio.value()),
          Markdown.number(ratio.low()),
          Markdown.number(ratio.high()),
          target,
          ratio.low() >= target ? "met" : "missed");
    }
    out.flush();
  }

  private static String carriers(SparkSubject subject, JobMetrics metrics) {
    if (subject.isVanilla()) {
      return String.format(
          Locale.ROOT,
          "files %.3f MB, netty %.3f MB",
          metrics.shuffle().localBytesRead() / MEGABYTE,
          metrics.shuffle().remoteBytesRead() / MEGABYTE);
    }
    return metrics.carriers().bytes().entrySet().stream()
            .map(e -> String.format(Locale.ROOT, "%s %.3f MB", e.getKey(), e.getValue() / MEGABYTE))
            .collect(Collectors.joining(", "))
        + ", fallbacks "
        + metrics.carriers().fallbackCount();
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * share);
  }
}
