// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.html.BarChart;
import dev.verbena.integration.html.BarChart.Bar;
import dev.verbena.integration.html.BarChart.Part;
import dev.verbena.integration.html.Markup;
import dev.verbena.integration.html.RatioChart;
import dev.verbena.integration.html.Series;
import dev.verbena.integration.sidebyside.JobMetrics.ShuffleTotals;
import dev.verbena.integration.tpcds.JsonReport.Result;
import dev.verbena.integration.tpcds.JsonReport.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * What the command writes to the file of {@code --html}: the JSON's figures as plots and tables.
 */
final class HtmlReport {
  private static final double MEGABYTE = 1e6;
  private static final String STYLE =
      """
      body { font: 14px sans-serif; color: #222; max-width: 960px; margin: 2em auto; }
      svg text { font: 11px sans-serif; fill: #222; }
      table { border-collapse: collapse; margin: 1em 0; }
      td, th { padding: 2px 8px; border-bottom: 1px solid #ddd; text-align: right; }
      td:first-child, th:first-child { text-align: left; }
      .legend { margin: 0 1.2em 0 0.3em; }
      .bad { color: #b00020; font-weight: bold; }
      """;

  private final JsonReport report;
  private final List<RunsOfQuery> queries;
  private final List<String> subjects;

  private HtmlReport(JsonReport report) {
    this.report = report;
    this.queries = RunsOfQuery.of(report);
    this.subjects = report.subjects().stream().map(Setup::name).toList();
  }

  /** Writes the file, and its folder if there is none. */
  static void write(Path file, JsonReport report) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      Files.createDirectories(folder);
      Files.writeString(file, page(report));
    } catch (IOException e) {
      throw new IntegrationException("cannot write " + file, e);
    }
  }

  static String page(JsonReport report) {
    String title = "TPC-DS at scale " + report.scale();
    HtmlReport html = new HtmlReport(report);
    return Markup.page(title, STYLE, page -> html.body(page, title));
  }

  private void body(Markup page, String title) {
    page.text("h1", title);
    outcome(page);
    ReportTables.summary(page, report);
    if (report.kills() == null) {
      page.text("h2", "Wall time");
      page.text(
          "p",
          "From the query's text to its last row; the mean, if there was more than one round.");
      perQuery("Wall time", "s", Result::wallSeconds).draw(page);
      speedUps(page);
    } else {
      page.text("h2", "Killed executors");
      page.text("p", report.kills().inWords());
      ReportTables.kills(page, report);
    }
    for (Setup setup : report.subjects()) {
      page.text("h2", "Shuffle bytes read, " + setup.name());
      carriers(setup).draw(page);
    }
    page.text("h2", "Fetch wait");
    page.text("p", "Time that tasks waited for blocks, summed over the query's tasks.");
    perQuery("Fetch wait", "s", result -> result.metrics().shuffle().fetchWaitMillis() / 1e3)
        .draw(page);
    page.text("h2", "Fallbacks");
    ReportTables.fallbacks(page, report);
    page.text("h2", "All figures");
    ReportTables.figures(page, report);
    page.text("h2", "Setup");
    ReportTables.environment(page, report);
  }

  private void outcome(Markup page) {
    if (report.ok()) {
      page.text("p", "All is as it should be.");
      return;
    }
    page.text("p", "NOT as it should be:", "class", "bad");
    page.element("ul", list -> report.faults().forEach(fault -> list.text("li", fault)));
  }

  private BarChart perQuery(String title, String unit, ToDoubleFunction<Result> figure) {
    List<Series> series = new ArrayList<>();
    for (String subject : subjects) {
      series.add(Series.of(subject, series.size()));
    }
    List<BarChart.Row> rows = new ArrayList<>();
    for (RunsOfQuery runs : queries) {
      List<Bar> bars =
          series.stream().map(one -> Bar.of(one, runs.mean(one.name(), figure))).toList();
      rows.add(new BarChart.Row(runs.query(), bars));
    }
    return new BarChart(title, unit, series, rows);
  }

  /** Each other subject's against the first one, if that is stock Spark. */
  private void speedUps(Markup page) {
    if (report.subjects().get(0).carrier() != null || subjects.size() < 2) {
      return;
    }
    String reference = subjects.get(0);
    for (int i = 1; i < subjects.size(); i++) {
      String title = subjects.get(i) + " against " + reference;
      page.text("h2", "Speed-up, " + title);
      page.text(
          "p",
          "Wall time of "
              + reference
              + " over that of "
              + subjects.get(i)
              + ": above 1, the latter is faster. A line is the 95 % interval: of a query over its"
              + " rounds, in the row '"
              + SpeedUps.ALL
              + "' over the queries. A query that was run once has none, and its figure alone says"
              + " little.");
      List<RatioChart.Row> rows = SpeedUps.of(queries, reference, subjects.get(i));
      new RatioChart("Speed-up", Series.of(subjects.get(i), i), rows).draw(page);
    }
  }

  private BarChart carriers(Setup setup) {
    List<SortedMap<String, Double>> bytes =
        queries.stream().map(runs -> megabytes(runs, setup)).toList();
    List<Series> series = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>();
    bytes.forEach(ofQuery -> names.addAll(ofQuery.keySet()));
    names.forEach(name -> series.add(Series.of(name, series.size())));
    List<BarChart.Row> rows = new ArrayList<>();
    for (int i = 0; i < queries.size(); i++) {
      Map<String, Double> ofQuery = bytes.get(i);
      List<Part> parts =
          series.stream().map(one -> new Part(one, ofQuery.getOrDefault(one.name(), 0.0))).toList();
      rows.add(new BarChart.Row(queries.get(i).query(), List.of(new Bar(parts))));
    }
    return new BarChart("Shuffle bytes read", "MB", series, rows);
  }

  private static SortedMap<String, Double> megabytes(RunsOfQuery runs, Setup setup) {
    SortedMap<String, Double> sums = new TreeMap<>();
    List<Result> results = runs.of(setup.name());
    for (Result result : results) {
      bytesByCarrier(result, setup)
          .forEach(
              (name, bytes) -> sums.merge(name, bytes / MEGABYTE / results.size(), Double::sum));
    }
    return sums;
  }

  /** Stock Spark counts no carriers, but tells what it reads itself from what it is sent. */
  private static Map<String, Long> bytesByCarrier(Result result, Setup setup) {
    if (setup.carrier() != null) {
      return result.metrics().carriers().bytes();
    }
    ShuffleTotals shuffle = result.metrics().shuffle();
    return Map.of("files", shuffle.localBytesRead(), "netty", shuffle.remoteBytesRead());
  }
}
