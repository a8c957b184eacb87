// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.sidebyside.Cluster;
import dev.verbena.integration.sidebyside.Json;
import dev.verbena.integration.sidebyside.SparkSubject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A command on TPC-DS from its data to its report. */
final class TpcdsSession {
  private final Checkout checkout;
  private final TpcdsOptions options;
  private final PrintStream out;

  TpcdsSession(Checkout checkout, TpcdsOptions options, PrintStream out) {
    this.checkout = checkout;
    this.options = options;
    this.out = out;
  }

  /**
   * Runs queries on the subjects, prints the table and writes the JSON and the page.
   *
   * @param subjects the first is what the others are held against
   * @param selection see {@link QueryCatalog#select}
   * @param course in which order they run
   * @return whether the run has shown what it should
   */
  boolean run(
      Scale scale,
      String selection,
      List<SparkSubject> subjects,
      int executorMebibytes,
      Course course) {
    QueryCatalog catalog = QueryCatalog.read(checkout.sparkSqlTestsJar());
    List<String> queries = catalog.select(selection);
    TpcdsData data = TpcdsData.ensure(checkout, options.data(checkout), scale, out);
    TpcdsRun.Settings settings =
        new TpcdsRun.Settings(
            subjects, executorMebibytes, options.queryTimeout(), conf(course.conf()));
    List<QueryOutcome> outcomes = new ArrayList<>();
    ConsoleReport report = new ConsoleReport(out);
    String medium;
    try (RunDirectory directory = RunDirectory.create(checkout.runs(), "tpcds")) {
      medium = medium(directory.memory());
      if (options.keepLogs()) {
        directory.keep();
      }
      try (TpcdsRun run = new TpcdsRun(settings, data, checkout, directory)) {
        out.printf(
            "scale %s, %d queries; starting %d applications%n",
            scale, queries.size(), subjects.size());
        run.start();
        report.head();
        course.run(
            run,
            queries,
            catalog,
            outcome -> {
              outcomes.add(outcome);
              report.add(outcome);
              if (outcome.runs().stream().anyMatch(r -> !r.faults().isEmpty())) {
                directory.keep();
              }
            });
      } catch (RuntimeException e) {
        directory.keep();
        throw e;
      }
      if (directory.isKept()) {
        out.println("logs: " + directory.disk());
      }
    }
    RunSummary summary = RunSummary.of(outcomes).with(course.conclude(outcomes));
    report.end(summary);
    JsonReport figures =
        JsonReport.of(environment(settings, medium), scale, subjects, outcomes, summary);
    if (options.json() != null) {
      Json.write(options.json(), figures);
    }
    if (options.html() != null) {
      HtmlReport.write(options.html(), figures);
    }
    return summary.ok();
  }

  /** What the user sets, and what the course needs. */
  private Map<String, String> conf(Map<String, String> needed) {
    Map<String, String> all = new LinkedHashMap<>(options.conf());
    needed.forEach(
        (key, value) -> {
          String given = all.put(key, value);
          if (given != null && !given.equals(value)) {
            throw new IntegrationException(
                "--conf " + key + "=" + given + ": this run needs " + value);
          }
        });
    return all;
  }

  private static JsonReport.Environment environment(TpcdsRun.Settings settings, String medium) {
    return new JsonReport.Environment(
        org.apache.spark.package$.MODULE$.SPARK_VERSION(),
        System.getProperty("java.version"),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        Runtime.getRuntime().availableProcessors(),
        Cluster.master(settings.executorMebibytes()),
        settings.executorMebibytes(),
        medium,
        settings.conf());
  }

  private static String medium(Path folder) {
    try {
      return Files.getFileStore(folder).type();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("no file system of " + folder, e);
    }
  }
}
