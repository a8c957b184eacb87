// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.testing.ChildJvm;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;

/** An agent, or an application attached to one, in a process that can be killed. */
final class AgentChild {
  private AgentChild() {}

  /** An agent in the directory of a fixture. */
  static ChildJvm agent(Path directory) {
    return started("agent", directory, "");
  }

  /** An application that attaches, writes output 1 and stays. */
  static ChildJvm application(Path directory, String id) {
    return started("application", directory, id);
  }

  private static ChildJvm started(String role, Path directory, String id) {
    ChildJvm child = ChildJvm.start(AgentChild.class, role, directory.toString(), id);
    boolean ready = false;
    try {
      if (!child.nextLine().equals("ready at node-1")) {
        throw new AssertionError("the child is not ready");
      }
      ready = true;
      return child;
    } finally {
      if (!ready) {
        child.close();
      }
    }
  }

  /** Stays until its input ends. */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[1]);
    if (args[0].equals("agent")) {
      try (StoreAgent agent =
          StoreAgent.open(AgentFixture.options(directory, "", Duration.ofMinutes(10)))) {
        ready(agent.status().name());
      }
    } else {
      AgentClient client =
          new AgentClient(directory.resolve("agent.sock"), "", AgentFixture.TIMEOUT);
      try (AgentAttachment attached =
          AgentAttachment.attach(client, args[2], AgentFixture.SECRET)) {
        AgentFixture.write(attached, args[2], 1);
        ready(attached.store().name());
      }
    }
  }

  private static void ready(String name) throws IOException {
    System.out.println("ready at " + name);
    System.in.transferTo(OutputStream.nullOutputStream());
  }
}
