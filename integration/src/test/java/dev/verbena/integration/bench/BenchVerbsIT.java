// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The benchmark runs, small; its figures here mean nothing. */
class BenchVerbsIT {
  @TempDir private Path directory;

  @Test
  void itMeasuresBothCarriersAndFindsNoAllocation() {
    Path file = directory.resolve("verbs.json");
    int exitCode =
        new CommandLine(new BenchCommand())
            .execute(
                "verbs",
                "--rounds",
                "2",
                "--warm-ups",
                "1",
                "--messages",
                "6000",
                "--tcp-messages",
                "200",
                "--working-set",
                "4",
                "--json",
                file.toString());
    BenchReport report = BenchReport.read(file);
    assertThat(report.ratios())
        .containsOnlyKeys(
            "pingpong_64B_shm.rtt.vs_shared_words",
            "write_1MiB_shm.rate.vs_unsafe_copy",
            "pingpong_64B_tcp.rtt.vs_plain_tcp");
    assertThat(report.ratios().values()).allMatch(ratio -> ratio.value() > 0);
    assertThat(report.results().stream().filter(result -> result.unit().equals("B/op")))
        .hasSize(3)
        .allMatch(result -> result.max() == 0);
    assertThat(exitCode).isZero();
  }
}
