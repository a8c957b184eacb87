// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.verbena.cli.agent.AgentProcess;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.agent.AgentAttachment;
import dev.verbena.store.agent.AgentClient;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.testing.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StoreCommandTest {
  private static final byte[] SECRET = "a secret of many bytes".getBytes(StandardCharsets.UTF_8);
  private static final int BLOCK = 10_000;

  @TempDir private Path directory;

  private String out = "";
  private String err = "";

  private int run(String... arguments) {
    StringWriter printed = new StringWriter();
    StringWriter complained = new StringWriter();
    int code =
        new CommandLine(new StoreCommand())
            .setOut(new PrintWriter(printed, true))
            .setErr(new PrintWriter(complained, true))
            .execute(arguments);
    out = printed.toString();
    err = complained.toString();
    return code;
  }

  private String socket() {
    return "--socket=" + directory.resolve("agent.sock");
  }

  private AgentAttachment attach(String application) {
    AgentClient client =
        new AgentClient(directory.resolve("agent.sock"), "", Duration.ofSeconds(30));
    return AgentAttachment.attach(client, application, SECRET);
  }

  private static void write(AgentAttachment attached, String application, long attempt) {
    byte[] block = new byte[BLOCK];
    java.util.Arrays.fill(block, (byte) 'v');
    try (RemoteWriters writers = RemoteWriters.open(attached.options());
        MapOutputWriter writer =
            writers.openMapOutput(attached.store(), new MapOutputKey(application, 3, attempt), 1)) {
      writer.append(0, block, 0, BLOCK);
      writer.commit(new long[0]);
    }
  }

  @Test
  void theStoreOfAnAgentIsListedToldCollectedAndChecked() throws IOException {
    try (AgentProcess agent = new AgentProcess(directory)) {
      AgentAttachment other = attach("other");
      try (AgentAttachment attached = attach("app")) {
        write(attached, "app", 8);
        write(attached, "app", 7);
        write(other, "other", 1);
        assertThat(run("ls", socket())).as(err).isZero();
        assertThat(out.lines())
            .containsExactly("app 3 7 1 10000", "app 3 8 1 10000", "other 3 1 1 10000");
        assertThat(run("ls", socket(), "--application=other", "--json")).isZero();
        JsonNode listed = new ObjectMapper().readTree(out);
        assertThat(listed).hasSize(1);
        assertThat(listed.get(0).path("mapAttempt").asLong()).isEqualTo(1);

        assertThat(run("stat", socket())).isZero();
        assertThat(out)
            .contains("agent node-1, up", "3 map outputs", "quota of an application: 512.0 MiB")
            .contains("application app: ", "2 map outputs, 1 attached");
        assertThat(run("stat", socket(), "--json")).isZero();
        assertThat(new ObjectMapper().readTree(out).path("applications")).hasSize(2);

        assertThat(run("gc", socket())).isZero();
        assertThat(out).isEmpty();
        other.close();
        Await.until("the other to let go", () -> run("gc", socket()) == 0 && out.contains("other"));
        assertThat(run("ls", socket())).isZero();
        assertThat(out.lines()).hasSize(2);

        assertThat(run("fsck", "--config=" + agent.config())).isEqualTo(1);
        assertThat(err).contains("has an owner that is alive").hasLineCount(1);
      }
      agent.terminate();
      assertThat(run("fsck", "--config=" + agent.config())).as(err).isZero();
      assertThat(out).isEqualToIgnoringNewLines("2 map outputs whole, 19.5 KiB; 0 damaged");
    }
  }

  @Test
  void withoutAnAgentThereIsOneLine() {
    assertThat(run("stat", socket())).isEqualTo(1);
    assertThat(err)
        .contains("no agent answers at " + directory.resolve("agent.sock"))
        .hasLineCount(1);
  }

  @Test
  void withoutASubcommandTheyAreNamed() {
    assertThat(run()).isEqualTo(2);
    assertThat(err).contains("expected one of ls, stat, fsck, gc");
  }
}
