// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Checkout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that all commands on TPC-DS have. */
final class TpcdsOptions {
  @Option(names = "--json", paramLabel = "FILE", description = "Writes the results as JSON.")
  private Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Writes the results as a page with plots, readable without a network.")
  private Path html;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Keeps a folder of data a scale there (default: data/tpcds in the checkout).")
  private Path data;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "Sets a key of Spark on all applications; may be repeated.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Option(
      names = "--query-timeout",
      paramLabel = "SECONDS",
      defaultValue = "900",
      description = "Gives up on a query after that time (default: ${DEFAULT-VALUE}).")
  private long queryTimeout;

  @Option(
      names = "--keep-logs",
      description = "Keeps the logs of all JVMs; else they are kept if something went wrong.")
  private boolean keepLogs;

  Path json() {
    return json;
  }

  Path html() {
    return html;
  }

  Path data(Checkout checkout) {
    return data == null ? checkout.tpcdsData() : data;
  }

  Map<String, String> conf() {
    return conf;
  }

  Duration queryTimeout() {
    return Duration.ofSeconds(queryTimeout);
  }

  boolean keepLogs() {
    return keepLogs;
  }
}
