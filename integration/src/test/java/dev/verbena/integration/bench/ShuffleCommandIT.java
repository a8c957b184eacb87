// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
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
  @CsvSource({"small,two,20,30,6000,''", "large,one,3,4,4000,_one_host"})
  @Timeout(900)
  void bothShuffleTheSameRowsOverTheCarriersAskedFor(
      String shape, String hosts, String maps, String reduces, String rows, String suffix) {
    Path json = directory.resolve("report.json");
    StringWriter text = new StringWriter();
    int code =
        new CommandLine(new ShuffleCommand())
            .setOut(new PrintWriter(text, true))
            .execute(
                "--shape=" + shape,
                "--hosts=" + hosts,
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
    assertThat(report.ratios().keySet())
        .hasSize(4)
        .allMatch(name -> name.endsWith(".vs_vanilla"))
        .anyMatch(name -> name.contains("k" + suffix + ".reduce_stage"));
    assertThat(report.results()).extracting(Result::subject).containsOnly("vanilla", "verbena");
    assertThat(report.environment())
        .containsKeys(
            "medium",
            "spark",
            BenchReport.othersKey(maps + "x" + reduces + "x" + rows.charAt(0) + "k" + suffix));
  }
}
