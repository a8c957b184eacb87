// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.agent.SocketAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class AgentSettingsTest {
  private static final String POOL =
      "pools: [{kind: memory, path: /dev/shm/verbena-test/pool, size: 64m}]\n";

  @TempDir private Path directory;

  private AgentSettings read(String text) throws IOException {
    return AgentSettings.read(Files.writeString(directory.resolve("agent.yaml"), text));
  }

  @Test
  void theExampleIsRead() {
    AgentSettings example = AgentSettings.read(Path.of("..", "conf-examples", "agent.yaml"));
    StoreOptions store = example.agent().store();
    assertThat(store.tiers())
        .extracting(tier -> tier.kind())
        .containsExactly(PoolKind.MEMORY, PoolKind.FILE);
    assertThat(store.tiers()).allMatch(tier -> !tier.ephemeral());
    assertThat(store.applicationQuota()).isEqualTo(512L << 20);
    assertThat(example.agent().vanishedAfter()).isEqualTo(Duration.ofMinutes(10));
    assertThat(example.http().orElseThrow().getPort()).isEqualTo(7480);
  }

  /** The values that the example shows as comments. */
  @Test
  void whatIsLeftOutHasItsDefault() throws IOException {
    AgentSettings settings = read(POOL);
    assertThat(settings.agent().provider()).isEqualTo("soft");
    assertThat(settings.agent().tcpOnly()).isFalse();
    assertThat(settings.agent().deviceDirectory()).isEqualTo(Path.of("/dev/shm"));
    assertThat(settings.agent().access()).isEqualTo(SocketAccess.OWNER);
    assertThat(settings.agent().address().isLoopbackAddress()).isTrue();
    assertThat(settings.agent().token()).isEmpty();
    assertThat(settings.agent().store().applicationQuota()).isEqualTo(StoreOptions.NO_QUOTA);
    assertThat(settings.agent().store().tiers().get(0).domain())
        .isEqualTo(DurabilityDomain.PROCESS);
    assertThat(settings.agent().state()).isEqualTo(Path.of("/dev/shm/verbena-test/applications"));
    assertThat(settings.http().orElseThrow().getAddress().isLoopbackAddress()).isTrue();
    assertThat(read(POOL + "http: {enabled: false}").http()).isEmpty();
  }

  @Test
  void aTokenComesFromAFileAndIsNeverShown() throws IOException {
    Path token = Files.writeString(directory.resolve("token"), "the token\n");
    AgentSettings settings = read(POOL + "token: " + token);
    assertThat(settings.agent().token()).isEqualTo("the token");
    assertThat(settings.toString()).doesNotContain("the token");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          quota: lots                                            | agent.yaml: quota: 'lots' is no size
          drain: soon                                            | agent.yaml: drain: 'soon', expected 500ms
          address: node-1                                        | agent.yaml: address: 'node-1', expected a numeric address
          address: 0.0.0.0                                       | agent.yaml: address 0.0.0.0, expected that of an interface
          provider: pigeon | agent.yaml: provider: 'pigeon', expected one of rdmacore
          carrier: pigeon                                        | agent.yaml: carrier: 'pigeon', expected auto or tcp
          token: /nowhere/token                                  | agent.yaml: token: /nowhere/token can't be read
          http: {port: 70000}                                    | agent.yaml: http.port: '70000', expected a port
          http: {prot: 1}                                        | agent.yaml: http.prot: no such key, there are address, enabled, port
          http: 7480                                             | agent.yaml: http: expected keys with values
          quotas: 1g                                             | agent.yaml: quotas: no such key, there are
          pools: []                                              | agent.yaml: pools: expected a list
          'pools: [{kind: tape, path: /p, size: 1m}]'            | agent.yaml: pools[0].kind: 'tape', expected one of [memory, file, fsdax, devdax]
          'pools: [{kind: file, size: 1m}]'                      | agent.yaml: pools[0].path is missing
          'pools: [{kind: file, path: /p, size: 1k}]'            | agent.yaml: pools[0]: pools /p: files of 1024 bytes
          'pools: [{kind: memory, path: /p, size: 1m, domain: power}]' | agent.yaml: pools[0].domain: pools of kind MEMORY reach PROCESS at most
          'pools: [{kind: devdax, path: /dev/dax0.0, size: 64m}]' | agent.yaml: state is missing
          'a: [1'                                                | agent.yaml is no YAML at line
          'quota: 1m\nquota: 2m'                                 | agent.yaml is no YAML at line 3
          """)
  void whatIsWrongIsOneErrorThatNamesFileAndKey(String text, String message) throws IOException {
    String lines = text.replace("\\n", "\n");
    String whole = lines.startsWith("pools") ? lines : POOL + lines;
    assertThatThrownBy(() -> read(whole))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
  }

  @Test
  void theExampleOfAUnitStartsAnAgent() throws IOException {
    String start =
        Files.readAllLines(Path.of("..", "conf-examples", "verbena-agent.service")).stream()
            .filter(line -> line.startsWith("ExecStart="))
            .findFirst()
            .orElseThrow();
    assertThat(start).startsWith("ExecStart=/opt/verbena/bin/verbena agent ");
    String[] words = start.split(" ", -1);
    var parsed =
        new CommandLine(new AgentCommand()).parseArgs(Arrays.copyOfRange(words, 2, words.length));
    assertThat(parsed.matchedOptionValue("--config", Path.of("none")))
        .isEqualTo(Path.of("/etc/verbena/agent.yaml"));
  }

  @Test
  void theExampleForKubernetesHasSettingsThatAreRead() throws IOException {
    YAMLMapper yaml = new YAMLMapper();
    Path example = Path.of("..", "conf-examples", "agent-daemonset.yaml");
    List<JsonNode> parts =
        yaml.readerFor(JsonNode.class).<JsonNode>readValues(example.toFile()).readAll();
    JsonNode settings = parts.get(0);
    assertThat(settings.path("kind").asText()).isEqualTo("ConfigMap");
    AgentSettings read = read(settings.path("data").path("agent.yaml").asText());
    JsonNode pod = parts.get(1).path("spec").path("template").path("spec");
    JsonNode container = pod.path("containers").get(0);
    List<String> paths = container.path("volumeMounts").findValuesAsText("mountPath");
    assertThat(paths)
        .contains("/etc/verbena", read.agent().socket().getParent().toString())
        .anyMatch(path -> read.agent().deviceDirectory().startsWith(path))
        .anyMatch(path -> read.agent().store().tiers().get(0).prefix().startsWith(path));
    assertThat(pod.path("hostNetwork").asBoolean()).isTrue();
    assertThat(container.path("readinessProbe").path("httpGet").path("port").asInt())
        .isEqualTo(read.http().orElseThrow().getPort());
    List<String> arguments = new ArrayList<>();
    container.path("args").forEach(argument -> arguments.add(argument.asText()));
    assertThat(arguments.get(0)).isEqualTo("agent");
    new CommandLine(new AgentCommand())
        .parseArgs(arguments.subList(1, arguments.size()).toArray(String[]::new));
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path missing = directory.resolve("missing.yaml");
    assertThatThrownBy(() -> AgentSettings.read(missing))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(missing + " can't be read");
  }
}
