// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;

/**
 * Where an agent's socket is, so that it is found without configuration: what the environment
 * variable {@value #VARIABLE} names, else {@code /run/verbena/agent.sock}, which only an
 * administrator can make, else {@code /tmp/verbena-USER/agent.sock} of the same user.
 */
public final class AgentPlace {
  /** The environment variable that comes before all else. */
  public static final String VARIABLE = "VERBENA_AGENT_SOCKET";

  private static final Path SYSTEM = Path.of("/run/verbena");
  private static final String NAME = "agent.sock";

  private AgentPlace() {}

  /** Where an agent of this user listens unless it is told otherwise. */
  public static Path standard() {
    return named().orElseGet(() -> (Files.isWritable(SYSTEM) ? SYSTEM : ofUser()).resolve(NAME));
  }

  /** The socket of an agent of this node, if one is there; whether it answers is not tried. */
  public static Optional<Path> find() {
    Optional<Path> named = named();
    if (named.isPresent()) {
      return named.filter(Files::exists);
    }
    return List.of(SYSTEM, ofUser()).stream()
        .map(directory -> directory.resolve(NAME))
        .filter(Files::exists)
        .filter(AgentPlace::isTrusted)
        .findFirst();
  }

  private static Optional<Path> named() {
    return Optional.ofNullable(System.getenv(VARIABLE))
        .filter(text -> !text.isEmpty())
        .map(Path::of);
  }

  private static Path ofUser() {
    return Path.of("/tmp", "verbena-" + System.getProperty("user.name"));
  }

  /** Anybody can make a directory in /tmp, but only its owner's socket is meant. */
  private static boolean isTrusted(Path socket) {
    Path directory = socket.getParent();
    try {
      return SYSTEM.equals(directory) || Files.getOwner(directory).equals(self());
    } catch (IOException e) {
      return false; // It is gone, or not for this user.
    }
  }

  /**
   * Checks that nobody else can put another socket in the place of an agent's.
   *
   * @throws IOException naming the owner of the directory
   */
  static void requireOwn(Path directory) throws IOException {
    UserPrincipal owner = Files.getOwner(directory);
    if (!owner.equals(self()) && !owner.equals(Files.getOwner(Path.of("/")))) {
      throw new IOException(directory + " belongs to " + owner.getName());
    }
  }

  /** A user need not have a name. */
  private static UserPrincipal self() throws IOException {
    return Files.getOwner(Path.of("/proc/self"));
  }
}
