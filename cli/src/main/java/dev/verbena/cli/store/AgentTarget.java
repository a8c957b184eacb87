// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.store;

import dev.verbena.store.StoreException;
import dev.verbena.store.agent.AgentClient;
import dev.verbena.store.agent.AgentPlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Which agent is asked, as options. */
final class AgentTarget {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int FAILED = 1;

  @Option(
      names = "--socket",
      description =
          "The agent's socket (default: $VERBENA_AGENT_SOCKET, /run/verbena/agent.sock or"
              + " /tmp/verbena-USER/agent.sock).")
  private Path socket;

  @Option(names = "--token", description = "File whose first line is the token that it wants.")
  private Path token;

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  /** For picocli. */
  AgentTarget() {}

  /** Asks; what fails is one line and exit code 1. */
  int ask(ToIntFunction<AgentClient> question) {
    try {
      Path place = socket == null ? AgentPlace.find().orElseGet(AgentPlace::standard) : socket;
      return question.applyAsInt(new AgentClient(place, readToken(), TIMEOUT));
    } catch (StoreException | UncheckedIOException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return FAILED;
    }
  }

  private String readToken() {
    if (token == null) {
      return "";
    }
    try {
      return Files.readAllLines(token).stream().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new UncheckedIOException("token file " + token + " can't be read: " + e, e);
    }
  }
}
