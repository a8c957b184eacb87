// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's end of a connection, from its connect to its end. */
final class ServerConnection implements Link.Owner, Timed {
  private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);
  private static final Duration REFUSAL_LINGER = Duration.ofMillis(500);

  private final ServerContext server;
  private final ServerHandshake handshake;
  private final ConnectionRequest request;
  private final Consumer<ServerConnection> onFreed;
  private final Link link;
  private volatile ServerCalls calls;
  private volatile boolean ready;
  private volatile boolean refused;
  private boolean freed;
  private volatile long handshakeDeadline;

  /** Makes the link; {@link #accept} connects it. */
  ServerConnection(
      ServerContext server,
      Reactor reactor,
      ServerHandshake handshake,
      ConnectionRequest request,
      Consumer<ServerConnection> onFreed) {
    this.server = server;
    this.handshake = handshake;
    this.request = request;
    this.onFreed = onFreed;
    this.handshakeDeadline = Deadline.after(server.options().handshakeTimeout()).nanoTime();
    this.link = new Link(server.resources(), reactor, this);
    server.counters().unauthenticated.incrementAndGet();
  }

  long sessionId() {
    return handshake.sessionId();
  }

  Link link() {
    return link;
  }

  /** Connects the control queue pair; the client speaks first then. */
  void accept(Deadline deadline) {
    link.reactor().add(this);
    link.start();
    try {
      request.accept(link.queuePair(), new byte[0], deadline);
    } catch (VerbsException e) {
      link.fail(RpcFailures.ofConnect(e, "accepting " + request.remoteAddress()));
      return;
    }
    link.reactor().timerAt(handshakeDeadline);
  }

  /**
   * Connects the bulk queue pair, if who asks for it made the handshake.
   *
   * @return false if that is not so, or it is connected already
   */
  boolean acceptBulk(ConnectionRequest bulkRequest, ConnectData data, Deadline deadline) {
    Agreement agreement = handshake.agreement();
    if (agreement == null
        || link.bulk() != null
        || link.failure() != null
        || !agreement.bulkToken().equals(data.token())) {
      return false;
    }
    BulkQueue bulk = link.createBulk();
    try {
      bulkRequest.accept(bulk.queuePair(), new byte[0], deadline);
    } catch (VerbsException e) {
      link.fail(RpcFailures.ofConnect(e, "accepting bulk of " + request.remoteAddress()));
      return true;
    }
    bulk.start();
    begin(agreement);
    return true;
  }

  private void begin(Agreement agreement) {
    RpcPeer peer =
        new RpcPeer(request.remoteAddress(), agreement.peerDeviceName(), agreement.sessionId());
    ServerCalls made = new ServerCalls(server, link, peer);
    if (!becomeReady(made)) {
      made.freed();
      return;
    }
    link.open(agreement);
    say(new ServerHandshake.Answer(MessageKind.READY, MessageStatus.OK, ByteBuffer.allocate(0)));
  }

  /** False if the connection ended meanwhile, and is counted no more. */
  private synchronized boolean becomeReady(ServerCalls made) {
    if (freed) {
      return false;
    }
    calls = made;
    ready = true;
    server.counters().unauthenticated.decrementAndGet();
    server.counters().connections.incrementAndGet();
    return true;
  }

  private synchronized void countEnd() {
    freed = true;
    if (ready) {
      server.counters().connections.decrementAndGet();
    } else {
      server.counters().unauthenticated.decrementAndGet();
    }
  }

  @Override
  public void handshake(MessageKind kind, MessageStatus status, ByteBuffer payload) {
    try {
      ServerHandshake.Answer answer = handshake.take(kind, payload);
      if (answer.isRefusal()) {
        refused(answer.status());
      }
      say(answer);
    } catch (IllegalArgumentException e) {
      link.fail(RpcFailures.protocol(link.toString(), e.getMessage()));
    }
  }

  @Override
  public void message(ReceivedMessage message) {
    calls.message(message);
  }

  @Override
  public void failed(RpcException cause) {
    if (cause.code() == RpcException.Code.PROTOCOL) {
      server.counters().protocolFailures.increment();
    }
    if (cause.code() == RpcException.Code.PROTOCOL || endsUnready(cause)) {
      LOG.warn("connection from {} ended: {}", request.remoteAddress(), cause.getMessage());
    }
    ServerCalls open = calls;
    if (open != null) {
      open.failed(cause);
    }
  }

  /** Nobody else would tell why: the client learns only that it ended. */
  private boolean endsUnready(RpcException cause) {
    return !ready && !refused && cause.code() != RpcException.Code.CLOSED;
  }

  @Override
  public void freed() {
    link.reactor().remove(this);
    countEnd();
    ServerCalls open = calls;
    if (open != null) {
      open.freed();
      server.ended(open.peer());
    }
    onFreed.accept(this);
  }

  @Override
  public long expire(long now) {
    if (ready || link.failure() != null) {
      return NEVER;
    }
    long left = handshakeDeadline - now;
    if (left <= 0) {
      link.fail(
          new RpcException(
              RpcException.Code.TIMED_OUT, false, "the client's handshake took too long", null));
      return NEVER;
    }
    return left;
  }

  private void say(ServerHandshake.Answer answer) {
    try {
      link.sender().sendHandshake(answer.kind(), answer.status(), answer.payload());
    } catch (VerbsException e) {
      link.fail(RpcFailures.of(e, link.toString()));
    }
  }

  /** The client hangs up when it reads why; if it does not, the timer does. */
  private void refused(MessageStatus status) {
    refused = true;
    if (status == MessageStatus.AUTHENTICATION) {
      server.counters().authenticationFailures.increment();
    } else {
      server.counters().versionFailures.increment();
    }
    LOG.warn("connection from {} refused: {}", request.remoteAddress(), status);
    handshakeDeadline = Deadline.after(REFUSAL_LINGER).nanoTime();
    link.reactor().timerAt(handshakeDeadline);
  }
}
