// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.StoreException;
import dev.verbena.time.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks an agent of the same node. Each call is a connection of its own. Thread-safe.
 *
 * @param socket the agent's, from {@link AgentPlace} say
 * @param token what the agent wants; empty for nothing
 * @param timeout over each call
 */
public record AgentClient(Path socket, String token, Duration timeout) {

  /**
   * What the agent has.
   *
   * @throws StoreException DISCONNECTED if there is no agent, or it does not answer; REJECTED
   */
  public AgentStatus status() {
    return AgentReports.status(ask(AgentFrame.Kind.STAT).fields());
  }

  /**
   * The map outputs of an application, of all if that is empty.
   *
   * @throws StoreException as {@link #status}
   */
  public List<OutputStatus> mapOutputs(String application) {
    return AgentReports.outputs(ask(AgentFrame.Kind.LIST, application).fields());
  }

  /**
   * Ends the applications that nobody holds.
   *
   * @return their ids
   * @throws StoreException as {@link #status}
   */
  public List<String> collect() {
    return ask(AgentFrame.Kind.COLLECT).fields();
  }

  private AgentFrame ask(AgentFrame.Kind kind, String... fields) {
    try (AgentChannel channel = AgentChannel.connect(socket)) {
      return ask(channel, kind, fields);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** Asks over a connection that is there. */
  AgentFrame ask(AgentChannel channel, AgentFrame.Kind kind, String... more) throws IOException {
    List<String> fields = new ArrayList<>(List.of(token));
    fields.addAll(List.of(more));
    Deadline deadline = Deadline.after(timeout);
    channel.send(new AgentFrame(kind, fields), deadline);
    AgentFrame reply =
        channel
            .receive(AgentFrameLayout.LONGEST_REPLY, deadline)
            .orElseThrow(() -> new EOFException("it ended the connection"));
    return switch (reply.kind()) {
      case OK -> reply;
      case FAILED -> throw new StoreException(code(reply.field(0)), reply.field(1));
      default -> throw new AgentProtocolException("reply is " + reply);
    };
  }

  StoreException unreachable(IOException cause) {
    return new StoreException(
        StoreException.Code.DISCONNECTED,
        "no agent answers at " + socket + ": " + cause.getMessage(),
        cause);
  }

  private static StoreException.Code code(String name) {
    for (StoreException.Code code : StoreException.Code.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return StoreException.Code.REJECTED; // A later version's, or nobody's.
  }

  /** The token is kept out of it. */
  @Override
  public String toString() {
    return "client of the agent at " + socket;
  }
}
