// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import dev.verbena.cli.Main;
import dev.verbena.testing.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code verbena agent} in a process of its own, by the example of settings moved elsewhere. */
public final class AgentProcess implements AutoCloseable {
  private final Path config;
  private final ChildJvm jvm;
  private final String ready;

  /** Starts one that has all its files in {@code directory}, and waits until it is ready. */
  public AgentProcess(Path directory) {
    config = settings(directory);
    jvm = ChildJvm.start(Main.class, "agent", "--roles=store", "--config=" + config);
    boolean started = false;
    try {
      ready = jvm.nextLine();
      started = true;
    } finally {
      if (!started) {
        jvm.close();
      }
    }
  }

  /** Writes the settings. */
  static Path settings(Path directory) {
    try {
      String example = Files.readString(Path.of("..", "conf-examples", "agent.yaml"));
      String moved =
          example
              .replace("/dev/shm/verbena-agent", directory.resolve("memory").toString())
              .replace("/var/tmp/verbena-agent", directory.resolve("files").toString())
              .replace("port: 7480", "port: 0");
      return Files.writeString(
          directory.resolve("agent.yaml"),
          moved
              + "name: node-1\n"
              + "socket: "
              + directory.resolve("agent.sock")
              + "\n"
              + "deviceDirectory: "
              + directory
              + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its settings. */
  public Path config() {
    return config;
  }

  /** What it says when it is ready. */
  String ready() {
    return ready;
  }

  /** Has it end as systemd does, and waits. */
  public void terminate() {
    jvm.signal("TERM");
    jvm.awaitExit();
  }

  @Override
  public void close() {
    jvm.close();
  }
}
