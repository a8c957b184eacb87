// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What a check inside a Spark application found, as it comes to the test: files in a folder.
 *
 * @param rows the job's result
 * @param plan the query's plan in the end; empty for a job without one
 * @param traffic what was moved for it
 */
record CheckResult(List<String> rows, String plan, Traffic traffic) {
  private static final String ROWS = ".rows";
  private static final String PLAN = ".plan";
  private static final String TRAFFIC = ".traffic";

  void write(Path folder, String check) throws IOException {
    Files.writeString(folder.resolve(check + PLAN), plan);
    Properties counts = new Properties();
    traffic.counts().forEach((name, value) -> counts.setProperty(name, value.toString()));
    try (Writer out = Files.newBufferedWriter(folder.resolve(check + TRAFFIC))) {
      counts.store(out, null);
    }
    Files.write(folder.resolve(check + ROWS), rows);
  }

  static CheckResult read(Path folder, String check) {
    Properties counts = new Properties();
    try (Reader in = Files.newBufferedReader(folder.resolve(check + TRAFFIC))) {
      counts.load(in);
      Traffic traffic = new Traffic(new TreeMap<>());
      counts.forEach(
          (name, value) -> traffic.counts().put((String) name, Long.valueOf((String) value)));
      return new CheckResult(
          Files.readAllLines(folder.resolve(check + ROWS)),
          Files.readString(folder.resolve(check + PLAN)),
          traffic);
    } catch (IOException e) {
      throw new IntegrationException("check " + check + " left no result in " + folder, e);
    }
  }
}
