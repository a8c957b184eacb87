// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bench table}: writes the reports' table between the markers of README.md. */
@Command(
    name = "table",
    mixinStandardHelpOptions = true,
    description = "Writes the table of benchmark reports into README.md.")
final class TableCommand implements Callable<Integer> {
  static final String BEGIN = "<!-- benchmarks: begin, made by `bin/verbena bench table` -->";
  static final String END = "<!-- benchmarks: end -->";

  @Option(names = "--readme", description = "The file to change; default: the checkout's README.md")
  private Path readme;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Reports written by --json")
  private List<Path> reports;

  @Override
  public Integer call() {
    Path file = readme == null ? Checkout.locate().root().resolve("README.md") : readme;
    String table = Markdown.table(reports.stream().map(BenchReport::read).toList());
    try {
      Files.writeString(file, replace(Files.readString(file), table, file));
    } catch (IOException e) {
      throw new IntegrationException("cannot change " + file, e);
    }
    return 0;
  }

  private static String replace(String text, String table, Path file) {
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IntegrationException(
          file + " has no lines '" + BEGIN + "' and '" + END + "' to write between");
    }
    return text.substring(0, begin + BEGIN.length()) + "\n" + table + text.substring(end);
  }
}
