// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.html.Markup;
import dev.verbena.integration.kill.KillReport;
import dev.verbena.integration.tpcds.JsonReport.Environment;
import dev.verbena.integration.tpcds.JsonReport.Query;
import dev.verbena.integration.tpcds.JsonReport.Result;
import dev.verbena.integration.tpcds.JsonReport.Setup;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The tables of {@link HtmlReport}. */
final class ReportTables {
  private ReportTables() {}

  /** A line a subject, in words. */
  static void summary(Markup page, JsonReport report) {
    page.element(
        "ul",
        list ->
            report
                .totals()
                .forEach((name, totals) -> list.text("li", name + ": " + totals.inWords())));
  }

  /** Each query that fell back, with reasons; a sentence if there is none. */
  static void fallbacks(Markup page, JsonReport report) {
    boolean none =
        report.queries().stream()
            .flatMap(query -> query.results().stream())
            .allMatch(result -> result.metrics().carriers().fallbackCount() == 0);
    if (none) {
      page.text("p", "No block fell back to another carrier than the one asked for.");
      return;
    }
    table(
        page,
        List.of("query", "subject", "blocks", "reasons"),
        rows -> {
          for (Query query : report.queries()) {
            for (Result result : query.results()) {
              long count = result.metrics().carriers().fallbackCount();
              if (count > 0) {
                String reasons = result.metrics().carriers().fallbacks().toString();
                row(rows, query.query(), result.subject(), Long.toString(count), reasons);
              }
            }
          }
        });
  }

  /** A line a kill, misses included. */
  static void kills(Markup page, JsonReport report) {
    table(
        page,
        List.of(
            "query",
            "subject",
            "result",
            "killed",
            "executors lost",
            "FetchFailed",
            "map outputs lost",
            "running tasks lost",
            "stage retries",
            "a miss, as"),
        rows -> {
          for (Query query : report.queries()) {
            for (Result result : query.results()) {
              if (result.checks().kill() != null) {
                row(rows, kill(query.query(), result));
              }
            }
          }
        });
  }

  private static String[] kill(String query, Result result) {
    KillReport kill = result.checks().kill();
    return new String[] {
      query,
      result.subject(),
      result.verdict(),
      result.checks().point().inWords(),
      Integer.toString(kill.seen().executorsLost()),
      Integer.toString(kill.seen().fetchFailures()),
      Integer.toString(kill.seen().mapOutputsLost()),
      Integer.toString(kill.seen().tasksLost()),
      Integer.toString(kill.seen().stageRetries()),
      kill.miss() == null ? "" : kill.miss()
    };
  }

  /** What the console shows. */
  static void figures(Markup page, JsonReport report) {
    table(
        page,
        List.of("query", "subject", "result", "rows", "wall s", "CPU s", "written MB", "wait s"),
        rows -> {
          for (Query query : report.queries()) {
            for (Result result : query.results()) {
              row(
                  rows,
                  query.query(),
                  result.subject(),
                  result.verdict(),
                  Integer.toString(result.rows()),
                  number(result.wallSeconds()),
                  number(result.executorCpuSeconds()),
                  number(result.metrics().shuffle().bytesWritten() / 1e6),
                  number(result.metrics().shuffle().fetchWaitMillis() / 1e3));
            }
          }
        });
  }

  /** Where and with what it ran. */
  static void environment(Markup page, JsonReport report) {
    Environment where = report.environment();
    table(
        page,
        List.of("key", "value"),
        rows -> {
          row(rows, "Spark", where.sparkVersion());
          row(rows, "Java", where.javaVersion());
          row(rows, "system", where.os());
          row(rows, "CPUs", Integer.toString(where.cpus()));
          row(rows, "master", where.master());
          row(rows, "spark.local.dir is on", where.localDirMedium());
          where.conf().forEach((key, value) -> row(rows, key, value));
          for (Setup setup : report.subjects()) {
            for (Map.Entry<String, String> entry : setup.conf().entrySet()) {
              row(rows, entry.getKey() + " (" + setup.name() + ")", entry.getValue());
            }
          }
        });
  }

  private static void table(Markup page, List<String> head, Markup.Content rows) {
    page.element(
        "table",
        table -> {
          table.element("tr", line -> head.forEach(cell -> line.text("th", cell)));
          rows.write(table);
        });
  }

  private static void row(Markup table, String... cells) {
    table.element(
        "tr",
        line -> {
          for (String cell : cells) {
            line.text("td", cell);
          }
        });
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
