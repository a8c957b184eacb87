// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.store;

import dev.verbena.store.agent.AgentClient;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code verbena store gc}. */
@Command(
    name = "gc",
    mixinStandardHelpOptions = true,
    description =
        "Ends the applications that no process is attached or connected to now, without waiting"
            + " until they count as vanished, and prints their ids.")
final class CollectCommand implements Callable<Integer> {
  @Mixin private AgentTarget agent;

  @Spec private CommandSpec spec;

  /** For picocli. */
  CollectCommand() {}

  @Override
  public Integer call() {
    return agent.ask(this::collect);
  }

  private int collect(AgentClient client) {
    PrintWriter out = spec.commandLine().getOut();
    client.collect().forEach(out::println);
    out.flush();
    return 0;
  }
}
