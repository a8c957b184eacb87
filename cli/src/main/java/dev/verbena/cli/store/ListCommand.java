// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.store;

import dev.verbena.cli.Json;
import dev.verbena.store.agent.AgentClient;
import dev.verbena.store.agent.OutputStatus;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena store ls}. */
@Command(
    name = "ls",
    mixinStandardHelpOptions = true,
    description = "Lists map outputs: application, shuffle, map attempt, partitions, bytes.")
final class ListCommand implements Callable<Integer> {
  @Mixin private AgentTarget agent;

  @Option(names = "--application", defaultValue = "", description = "Only those of this one.")
  private String application;

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** For picocli. */
  ListCommand() {}

  @Override
  public Integer call() {
    return agent.ask(this::list);
  }

  private int list(AgentClient client) {
    PrintWriter out = spec.commandLine().getOut();
    List<OutputStatus> outputs = client.mapOutputs(application);
    if (json) {
      out.println(Json.of(outputs.stream().map(ListCommand::fields).toList()));
    } else {
      for (OutputStatus each : outputs) {
        out.printf(
            "%s %d %d %d %d%n",
            each.key().application(),
            each.key().shuffle(),
            each.key().mapAttempt(),
            each.partitions(),
            each.bytes());
      }
    }
    out.flush();
    return 0;
  }

  private static Map<String, Object> fields(OutputStatus output) {
    return Map.of(
        "application", output.key().application(),
        "shuffle", output.key().shuffle(),
        "mapAttempt", output.key().mapAttempt(),
        "partitions", output.partitions(),
        "bytes", output.bytes());
  }
}
