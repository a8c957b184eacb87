// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DoctorCommandTest {
  @TempDir private Path memory;
  @TempDir private Path files;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... more) {
    List<String> arguments = new ArrayList<>(List.of("--directory=" + memory, "--files=" + files));
    arguments.addAll(List.of(more));
    return new CommandLine(new DoctorCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  @Test
  void eachCarrierAndEachKindOfPoolIsTriedAndNothingIsLeft() throws IOException {
    assertThat(run()).as(out + "" + err).isZero();
    assertThat(out.toString())
        .contains("soft over shm: SEND 64 B", "soft over shm: WRITE 1 MiB")
        .contains("soft over tcp: SEND 64 B", "soft over tcp: READ 1 MiB")
        .contains("domain PROCESS by NONE, found again", "domain POWER by MSYNC, found again")
        .contains("memlock", "open files", "java", "kernel")
        .doesNotContain("PROBLEM");
    for (Path directory : List.of(memory, files)) {
      try (var left = Files.list(directory)) {
        assertThat(left).isEmpty();
      }
    }
  }

  @Test
  void jsonSaysTheSame() throws IOException {
    assertThat(run("--json", "--domain=POWER")).isZero();
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.path("ok").asBoolean()).isTrue();
    assertThat(report.path("findings"))
        .anySatisfy(
            finding -> {
              assertThat(finding.path("area").asText()).isEqualTo("pools");
              assertThat(finding.path("verdict").asText()).isEqualTo("WARNING");
              assertThat(finding.path("remedy").asText()).contains("pools in files");
            });
  }

  @Test
  void aPoolThatDoesNotFitIsAProblemWithARemedy() {
    assertThat(run("--pool-size=900t")).isEqualTo(1);
    assertThat(out.toString())
        .contains("PROBLEM", "asked for: 900.0 TiB for each of 1 stores", "--shm-size")
        .contains("something can't work");
  }

  @Test
  void aDirectoryThatIsNotThereIsAProblemAndNotAnException() throws IOException {
    Files.delete(memory);
    Files.createFile(memory);
    try {
      assertThat(run()).isEqualTo(1);
      assertThat(out.toString()).contains("no directory that this user may write to");
      assertThat(err.toString()).isEmpty();
    } finally {
      Files.delete(memory);
      Files.createDirectory(memory);
    }
  }

  @Test
  void optionsOutOfRangeAreNamed() {
    assertThat(run("--stores=0")).isEqualTo(2);
    assertThat(run("--pool-size=much")).isEqualTo(2);
    assertThat(err.toString()).contains("--stores is 0", "--pool-size", "'much' is no size");
  }
}
