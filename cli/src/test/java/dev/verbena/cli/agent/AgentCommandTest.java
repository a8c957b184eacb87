// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.agent.AgentAttachment;
import dev.verbena.store.agent.AgentClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class AgentCommandTest {
  private static final byte[] SECRET = "a secret of many bytes".getBytes(StandardCharsets.UTF_8);

  @TempDir private Path directory;

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new AgentCommand())
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void theExampleServesAndTellsOfItselfAndStopsOnSigterm() throws Exception {
    Path socket = directory.resolve("agent.sock");
    AgentClient client = new AgentClient(socket, "", Duration.ofSeconds(30));
    try (AgentProcess agent = new AgentProcess(directory)) {
      assertThat(agent.ready())
          .startsWith("agent node-1 is ready at " + socket + ", http://127.0.0.1:");
      String url = agent.ready().substring(agent.ready().indexOf("http://"));
      try (AgentAttachment attached = AgentAttachment.attach(client, "app", SECRET)) {
        assertThat(attached.isHeld()).isTrue();
        HttpResponse<String> metrics =
            HttpClient.newHttpClient()
                .send(
                    HttpRequest.newBuilder(URI.create(url + "/metrics")).build(),
                    HttpResponse.BodyHandlers.ofString());
        assertThat(metrics.body())
            .contains("verbena_agent_application_holders{application=\"app\"} 1");
      }
      agent.terminate();
      assertThat(socket).doesNotExist();
    }
    // Neither devices nor locks are left; pools and what is known of applications are.
    try (var left = Files.list(directory)) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("agent.yaml", "files", "memory");
    }
  }

  @Test
  void wrongSettingsAreOneLineAndExitCode2() throws IOException {
    Path config = Files.writeString(directory.resolve("agent.yaml"), "quota: 1g\n");
    assertThat(run("--config=" + config)).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(config + ": pools: expected a list of one or more");
  }

  @Test
  void whatCannotBeHadIsOneLineAndExitCode1() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path config =
        Files.writeString(
            directory.resolve("agent.yaml"),
            "pools: [{kind: file, path: %s/pool, size: 1m}]%nsocket: %s/s%n"
                .formatted(file, directory));
    assertThat(run("--config=" + config)).isEqualTo(1);
    assertThat(err.toString()).startsWith(config + ": ").contains(file.toString()).hasLineCount(1);
  }

  @Test
  void rolesThatAreNotThereAreNamed() {
    assertThat(run("--config=any", "--roles=store,vrpc")).isEqualTo(2);
    assertThat(err.toString()).contains("--roles is store,vrpc, expected store");
  }
}
