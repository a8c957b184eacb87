// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BenchReportTest {
  private static final BenchReport REPORT =
      new BenchReport(
          "verbs",
          Map.of("medium", "soft/shm", BenchReport.othersKey("pingpong"), "3 %"),
          List.of(
              new Result("verbena", "pingpong.rtt", "us", 0.5, 0.7, 0.4, 12, 15),
              new Result("words", "pingpong.rtt", "us", 0.2, 0.3, 0.1, 9, 15)),
          Map.of("pingpong.rtt.vs_words", new Ratio(0.4, 0.39, 0.41)));

  @TempDir private Path directory;

  @Test
  void theFileHasTheAgreedShape() throws IOException {
    Path file = directory.resolve("new/report.json");
    REPORT.write(file);
    JsonNode root = new ObjectMapper().readTree(file.toFile());
    assertThat(root.fieldNames())
        .toIterable()
        .containsExactly("bench", "environment", "results", "ratios");
    assertThat(root.at("/results/0").fieldNames())
        .toIterable()
        .containsExactly("subject", "metric", "unit", "p50", "p99", "min", "max", "runs");
    JsonNode ratio = root.get("ratios").get("pingpong.rtt.vs_words");
    assertThat(ratio.fieldNames()).toIterable().containsExactly("value", "low", "high");
    assertThat(ratio.get("low").doubleValue()).isEqualTo(0.39);
    assertThat(BenchReport.read(file)).isEqualTo(REPORT);
  }

  @Test
  void theTableGoesBetweenTheMarkersAndReplacesTheOldOne() throws IOException {
    Path report = directory.resolve("report.json");
    REPORT.write(report);
    Path readme = directory.resolve("README.md");
    Files.writeString(
        readme, "before\n" + TableCommand.BEGIN + "\nold\n" + TableCommand.END + "\nafter\n");
    assertThat(table(readme, report)).isZero();
    String once = Files.readString(readme);
    assertThat(once)
        .startsWith("before\n" + TableCommand.BEGIN + "\n| case |")
        .endsWith("|\n" + TableCommand.END + "\nafter\n")
        .contains(
            "| `verbs pingpong.rtt` | 0.500 us | words: 0.200 us | **0.400** | 0.390 to 0.410"
                + " | soft/shm | 3 % |\n")
        .doesNotContain("old");
    assertThat(table(readme, report)).isZero();
    assertThat(readme).hasContent(once);
  }

  @Test
  void aFileWithoutMarkersIsLeftAlone() throws IOException {
    Path report = directory.resolve("report.json");
    REPORT.write(report);
    Path readme = Files.writeString(directory.resolve("README.md"), "text\n");
    assertThat(table(readme, report)).isNotZero();
    assertThat(readme).hasContent("text\n");
  }

  private static int table(Path readme, Path report) {
    return new CommandLine(new TableCommand())
        .setExecutionExceptionHandler((error, line, parsed) -> 1)
        .execute("--readme", readme.toString(), report.toString());
  }
}
