// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The client's end of a connection. */
final class ClientConnection implements RpcConnection {
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

  private final RpcResources resources;
  private final InetSocketAddress server;
  private final Link link;
  private final ClientCalls calls;
  private final ClientEnd end;
  private volatile RpcPeer peer;

  private ClientConnection(
      RpcResources resources,
      Reactor reactor,
      InetSocketAddress server,
      VersionRange versions,
      Runnable onFreed) {
    this.resources = resources;
    this.server = server;
    ClientHandshake handshake =
        new ClientHandshake(resources.options(), versions, server, resources.device().name());
    this.end = new ClientEnd(handshake, onFreed);
    this.link = new Link(resources, reactor, end);
    this.calls = new ClientCalls(resources, link);
    end.attach(link, calls);
  }

  /**
   * Connects and authenticates.
   *
   * @param onFreed runs once, when nothing of the connection is left, also if it was never made
   */
  static ClientConnection connect(
      RpcResources resources,
      Reactor reactor,
      InetSocketAddress server,
      VersionRange versions,
      Runnable onFreed,
      Deadline deadline) {
    ClientConnection made;
    try {
      made = new ClientConnection(resources, reactor, server, versions, onFreed);
    } catch (RuntimeException e) {
      onFreed.run();
      throw failureOfConnect(e, server);
    }
    try {
      made.establish(deadline);
      return made;
    } catch (RuntimeException e) {
      RpcException failure = failureOfConnect(e, server);
      made.link.fail(failure);
      made.awaitFreed();
      throw failure;
    }
  }

  private static RpcException failureOfConnect(RuntimeException cause, InetSocketAddress server) {
    String where = "connecting to " + server;
    if (cause instanceof RpcException known) {
      return known;
    }
    return cause instanceof VerbsException failure
        ? RpcFailures.ofConnect(failure, where)
        : new RpcException(RpcException.Code.DISCONNECTED, false, where + ": " + cause, cause);
  }

  private void establish(Deadline deadline) {
    connect(link.queuePair(), ConnectData.control(), deadline);
    link.start();
    link.sender().sendHandshake(MessageKind.HELLO, MessageStatus.OK, end.handshake().hello());
    await(HandshakeProgress.Step.WELCOMED, deadline);
    Agreement agreement = end.agreement();
    BulkQueue bulk = link.createBulk();
    connect(bulk.queuePair(), ConnectData.bulk(agreement), deadline);
    bulk.start();
    await(HandshakeProgress.Step.READY, deadline);
    peer = new RpcPeer(server, agreement.peerDeviceName(), agreement.sessionId());
  }

  private void connect(QueuePair queuePair, ConnectData purpose, Deadline deadline) {
    try {
      resources
          .device()
          .connect(queuePair, new ConnectionParameters(server, null, purpose.encode(), deadline));
    } catch (VerbsException e) {
      throw RpcFailures.ofConnect(e, "connecting to " + server);
    }
  }

  private void await(HandshakeProgress.Step step, Deadline deadline) {
    HandshakeProgress progress = end.progress();
    progress.want(step);
    try {
      link.reactor().await(progress, link.completions(), deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RpcException(
          RpcException.Code.INTERRUPTED, false, "interrupted while connecting to " + server, e);
    }
    RpcException failure = link.failure();
    if (failure != null) {
      throw new RpcException(
          failure.code(), false, "connecting to " + server + ": " + failure.getMessage(), failure);
    }
    if (!progress.isDone()) {
      throw new RpcException(
          RpcException.Code.TIMED_OUT,
          false,
          "connecting to " + server + ": the handshake missed the deadline",
          null);
    }
  }

  @Override
  public ByteBuffer call(int method, ByteBuffer request, Deadline deadline) {
    return calls.call(method, request, deadline);
  }

  @Override
  public int call(int method, ByteBuffer request, ByteBuffer response, Deadline deadline) {
    return calls.call(method, request, response, deadline);
  }

  @Override
  public CompletableFuture<ByteBuffer> callAsync(
      int method, ByteBuffer request, Deadline deadline) {
    return calls.callAsync(method, request, deadline);
  }

  @Override
  public void send(int method, ByteBuffer request, Deadline deadline) {
    calls.send(method, request, deadline);
  }

  @Override
  public BulkChannel bulk() {
    return link.bulk();
  }

  @Override
  public RpcPeer peer() {
    return peer;
  }

  @Override
  public long serverIncarnation() {
    return end.agreement().incarnation();
  }

  @Override
  public String carrier() {
    return link.queuePair().carrier().orElse("");
  }

  @Override
  public boolean isOpen() {
    return link.isOpen();
  }

  @Override
  public void close() {
    link.fail(closedHere());
    if (!link.isHandledByMe()) {
      awaitFreed();
    }
  }

  private void awaitFreed() {
    try {
      link.awaitFreed(Deadline.after(CLOSE_PATIENCE));
    } catch (InterruptedException e) {
      // What is left is freed by the reactor's thread all the same.
      Thread.currentThread().interrupt();
    }
  }

  private RpcException closedHere() {
    return new RpcException(
        RpcException.Code.CLOSED, true, "the connection to " + server + " was closed", null);
  }

  @Override
  public String toString() {
    return "connection to " + server;
  }
}
