// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import dev.verbena.store.StoreException;
import dev.verbena.store.agent.StoreAgent;
import dev.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena agent}. */
@Command(
    name = "agent",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Runs a node's store agent: it owns pools, serves them to applications that attach to its"
          + " socket, and goes on when they end. Runs until SIGTERM or SIGINT; then what is being"
          + " written is waited for, and pools keep what is in them.",
      "Ends with 2 if the settings are wrong, with 1 if what they ask for can't be had."
    })
public final class AgentCommand implements Callable<Integer> {
  private static final Duration CLOSING = Duration.ofSeconds(60);
  private static final String STORE = "store";
  private static final int UNUSABLE = 1;
  private static final int WRONG_SETTINGS = 2;

  @Option(names = "--config", required = true, description = "Settings; conf-examples/agent.yaml.")
  private Path config;

  @Option(
      names = "--roles",
      split = ",",
      defaultValue = STORE,
      description = "What it does: store.")
  private List<String> roles;

  @Option(names = "--address", description = "Instead of the settings' address.")
  private String address;

  @Spec private CommandSpec spec;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** For picocli, which sets the options. */
  public AgentCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (!roles.equals(List.of(STORE))) {
      throw new ParameterException(
          spec.commandLine(), "--roles is " + String.join(",", roles) + ", expected store");
    }
    PrintWriter err = spec.commandLine().getErr();
    AgentSettings settings;
    try {
      settings = AgentSettings.read(config, Optional.ofNullable(address).map(this::parsed));
    } catch (SettingsException e) {
      err.println(e.getMessage());
      return WRONG_SETTINGS;
    }
    // Before anything is opened: a signal must never leave it behind.
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "verbena-agent-stop"));
    try {
      run(settings);
      return 0;
    } catch (StoreException | VerbsException | IOException e) {
      err.println(config + ": " + e.getMessage());
      return UNUSABLE;
    } finally {
      ended.countDown();
    }
  }

  private void run(AgentSettings settings) throws IOException, InterruptedException {
    StoreAgent agent = StoreAgent.open(settings.agent());
    Optional<StatusServer> http = Optional.empty();
    try {
      http = http(settings, agent);
      tellReady(settings, http);
      asked.await();
    } finally {
      // The agent drains first, which its health tells meanwhile.
      agent.close();
      http.ifPresent(StatusServer::close);
    }
  }

  private InetAddress parsed(String text) {
    try {
      return AgentSettings.address(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--address: " + e.getMessage(), e);
    }
  }

  private static Optional<StatusServer> http(AgentSettings settings, StoreAgent agent)
      throws IOException {
    return settings.http().isPresent()
        ? Optional.of(StatusServer.start(settings.http().get(), agent::status))
        : Optional.empty();
  }

  private void tellReady(AgentSettings settings, Optional<StatusServer> http) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "agent %s is ready at %s%s"
            .formatted(
                settings.agent().name(),
                settings.agent().socket(),
                http.map(server -> ", " + server.url()).orElse("")));
    out.flush();
  }

  /** Runs when the JVM is told to end, which waits for it. */
  private void stop() {
    asked.countDown();
    try {
      if (!ended.await(CLOSING.toSeconds(), TimeUnit.SECONDS)) {
        spec.commandLine().getErr().println("the agent did not end within " + CLOSING);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
