// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Tag("spark")
class ShuffleCommandIT {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"small,20,30,6000", "large,3,4,4000"})
  @Timeout(900)
  void bothShuffleTheSameRowsOverTheCarriersAskedFor(
      String shape, String maps, String reduces, String rows) {
    Path json = directory.resolve("report.json");
    StringWriter text = new StringWriter();
    int code =
        new CommandLine(new ShuffleCommand())
            .setOut(new PrintWriter(text, true))
            .execute(
                "--shape=" + shape,
                "--maps=" + maps,
                "--reduces=" + reduces,
                "--rows=" + rows,
                "--rounds=2",
                "--warm-ups=1",
                "--executor-memory=768",
                "--json=" + json);
    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains(rows + " records", "checksum", "fallbacks 0", "others=")
        .doesNotContain("FAILED");
    BenchReport report = BenchReport.read(json);
    assertThat(report.ratios()).hasSize(8);
    assertThat(report.ratios().keySet())
        .allMatch(name -> name.endsWith(".vs_vanilla"))
        .anyMatch(name -> name.contains("_one_host.reduce_stage"));
    assertThat(report.results()).extracting(Result::subject).containsOnly("vanilla", "verbena");
    assertThat(List.of("medium", "spark", "others")).allMatch(report.environment()::containsKey);
  }
}
