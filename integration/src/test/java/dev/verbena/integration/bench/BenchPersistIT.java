// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The benchmark runs, small; its figures here mean nothing. */
class BenchPersistIT {
  @TempDir private Path directory;

  @Test
  void aKindOfPoolThatItDoesNotMeasureIsRefused() {
    assertThat(new CommandLine(new BenchCommand()).execute("persist", "--pools", "MEMORY,FSDAX"))
        .isEqualTo(CommandLine.ExitCode.USAGE);
  }

  @Test
  void itMeasuresPlacementAndDurabilityAndWhatTheServerSpends() {
    Path file = directory.resolve("persist.json");
    int exitCode =
        new CommandLine(new BenchCommand())
            .execute(
                "persist",
                "--rounds",
                "2",
                "--warm-ups",
                "1",
                "--appends",
                "50",
                "--file-appends",
                "5",
                "--lengths",
                "64,1048576",
                "--server-appends",
                "200",
                "--json",
                file.toString());
    assertThat(exitCode).isZero();
    BenchReport report = BenchReport.read(file);
    assertThat(report.ratios())
        .containsOnlyKeys(
            "append_64B_memory_polling.latency.vs_conventional",
            "append_64B_memory_sleeping.latency.vs_conventional",
            "append_64B_file_polling.latency.vs_conventional",
            "append_64B_file_polling.all_but_persist.vs_conventional",
            "append_64B_file_sleeping.latency.vs_conventional",
            "append_64B_file_sleeping.all_but_persist.vs_conventional",
            "append_1048576B_memory_polling.latency.vs_conventional",
            "append_1048576B_memory_sleeping.latency.vs_conventional",
            "append_1048576B_file_polling.latency.vs_conventional",
            "append_1048576B_file_polling.all_but_persist.vs_conventional",
            "append_1048576B_file_sleeping.latency.vs_conventional",
            "append_1048576B_file_sleeping.all_but_persist.vs_conventional");
    assertThat(report.results().stream().filter(result -> result.metric().endsWith(".persist")))
        .hasSize(8)
        .allMatch(result -> result.p50() > 0);
    assertThat(report.results())
        .filteredOn(result -> result.metric().equals("server_64B.switches"))
        .extracting(Result::subject)
        .containsExactly("direct", "conventional");
  }
}
