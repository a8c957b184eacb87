// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.StoreException;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.time.Deadline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to an agent's socket, at the agent. Once it has attached, its being there holds its
 * application.
 */
final class AgentConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentConnection.class);

  /** Within which a request comes whole, and a reply is taken. */
  private static final Duration TALK = Duration.ofSeconds(10);

  /** Within which a connection asks for something, unless it is attached. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** How long an attached one is waited for before it is waited for again. */
  private static final Duration LOOK = Duration.ofHours(1);

  private final AgentChannel channel;
  private final AgentOptions options;
  private final StoreAgent agent;
  private volatile Application application;

  AgentConnection(SocketChannel channel, AgentOptions options, StoreAgent agent)
      throws IOException {
    this.options = options;
    this.agent = agent;
    boolean done = false;
    try {
      this.channel = new AgentChannel(channel);
      done = true;
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  /** Serves it to its end. */
  void run() {
    try (channel) {
      while (awaitRequest()) {
        Optional<AgentFrame> request =
            channel.receive(AgentFrameLayout.LONGEST_REQUEST, Deadline.after(TALK));
        if (request.isEmpty()) {
          return;
        }
        channel.send(answer(request.get()), Deadline.after(TALK));
      }
    } catch (ClosedChannelException e) {
      LOG.debug("{} was closed", this, e);
    } catch (IOException e) {
      LOG.warn("{} ends: {}", this, e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("{} ends", this, e); // Its thread has nobody else to tell.
    } finally {
      if (application != null) {
        agent.applications().letGo(application, this);
      }
    }
  }

  /** False if it is silent, and not attached. */
  private boolean awaitRequest() throws IOException {
    if (application == null) {
      return channel.awaitReadable(Deadline.after(SILENCE));
    }
    while (!channel.awaitReadable(Deadline.after(LOOK))) {
      LOG.trace("{} is attached", this);
    }
    return true;
  }

  private AgentFrame answer(AgentFrame request) throws AgentProtocolException {
    try {
      requireToken(request.field(0));
      return switch (request.kind()) {
        case ATTACH -> attach(request);
        case END -> end();
        case STAT -> new AgentFrame(AgentFrame.Kind.OK, AgentReports.encode(agent.status()));
        case LIST ->
            new AgentFrame(
                AgentFrame.Kind.OK, AgentReports.encode(agent.mapOutputs(request.field(1))));
        case COLLECT -> new AgentFrame(AgentFrame.Kind.OK, agent.collect());
        case OK, FAILED -> throw new AgentProtocolException(request.kind() + " is no request");
      };
    } catch (StoreException e) {
      LOG.info("{} refused: {}", request.kind(), e.getMessage());
      return AgentFrame.of(AgentFrame.Kind.FAILED, e.code().name(), e.getMessage());
    }
  }

  private void requireToken(String token) {
    if (!MessageDigest.isEqual(
        token.getBytes(StandardCharsets.UTF_8), options.token().getBytes(StandardCharsets.UTF_8))) {
      throw new StoreException(
          StoreException.Code.REJECTED,
          token.isEmpty()
              ? "agent " + options.name() + " wants a token"
              : "agent " + options.name() + " has another token");
    }
  }

  private AgentFrame attach(AgentFrame request) throws AgentProtocolException {
    if (application != null) {
      throw new AgentProtocolException("attached to " + application.id() + " already");
    }
    application = agent.applications().attach(request.field(1), secret(request.field(2)), this);
    StoreEndpoint endpoint = application.server().orElseThrow().endpoint();
    List<String> fields = new ArrayList<>();
    fields.add(endpoint.name());
    fields.add(Long.toHexString(endpoint.incarnation()));
    fields.add(String.valueOf(endpoint.wireVersion()));
    fields.add(options.provider());
    fields.add(options.deviceDirectory().toString());
    fields.add(String.valueOf(options.tcpOnly()));
    for (InetSocketAddress address : endpoint.addresses()) {
      fields.add(address.getAddress().getHostAddress());
      fields.add(String.valueOf(address.getPort()));
    }
    return new AgentFrame(AgentFrame.Kind.OK, fields);
  }

  private static byte[] secret(String digits) {
    try {
      return HexFormat.of().parseHex(digits);
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, "a secret is not in hexadecimal digits", e);
    }
  }

  private AgentFrame end() throws AgentProtocolException {
    Application ending = application;
    if (ending == null) {
      throw new AgentProtocolException("end without an application");
    }
    // This connection is still to be told.
    agent.applications().letGo(ending, this);
    application = null;
    agent.applications().endNow(ending);
    return AgentFrame.of(AgentFrame.Kind.OK);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing {}", this, e);
    }
  }

  @Override
  public String toString() {
    Application of = application;
    return "connection " + (of == null ? "without an application" : "of application " + of.id());
  }
}
