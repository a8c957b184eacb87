// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RpcClient;
import dev.verbena.rpc.RpcConnection;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to stores, one each: whoever needs one first makes it, others wait for it.
 * Dropped ones are closed by a thread of their own, since it may be the polling thread that drops.
 * Thread-safe.
 */
final class Peers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

  private final RpcClient rpc;
  private final Duration connectTimeout;
  private final Consumer<Peer> onDrop;
  private final Map<StoreEndpoint, CompletableFuture<Peer>> peers = new ConcurrentHashMap<>();
  private final ExecutorService closer =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "verbena-store-peers");
            thread.setDaemon(true);
            return thread;
          });
  private volatile boolean closed;

  Peers(RpcClient rpc, Duration connectTimeout, Consumer<Peer> onDrop) {
    this.rpc = rpc;
    this.connectTimeout = connectTimeout;
    this.onDrop = onDrop;
  }

  /**
   * The connection to a store, made if need be.
   *
   * @throws StoreException DISCONNECTED, TIMED_OUT, REJECTED, CLOSED, INTERRUPTED
   */
  Peer get(StoreEndpoint endpoint) {
    Deadline deadline = Deadline.after(connectTimeout);
    while (true) {
      if (closed) {
        throw new StoreException(StoreException.Code.CLOSED, "the client is closed");
      }
      CompletableFuture<Peer> mine = new CompletableFuture<>();
      CompletableFuture<Peer> there = peers.putIfAbsent(endpoint, mine);
      if (there == null) {
        return connect(endpoint, mine, deadline);
      }
      Optional<Peer> peer = await(endpoint, there, deadline);
      if (peer.isPresent()) {
        if (peer.get().isOpen()) {
          return peer.get();
        }
        drop(peer.get());
      }
    }
  }

  private Peer connect(StoreEndpoint endpoint, CompletableFuture<Peer> future, Deadline deadline) {
    try {
      Peer peer = connect(endpoint, deadline);
      future.complete(peer);
      if (closed) {
        drop(peer);
      }
      return peer;
    } catch (StoreException e) {
      StoreException told = Thread.currentThread().isInterrupted() ? interrupted(endpoint, e) : e;
      peers.remove(endpoint, future);
      future.completeExceptionally(told);
      throw told;
    } finally {
      if (!future.isDone()) {
        peers.remove(endpoint, future);
        future.completeExceptionally(
            new StoreException(
                StoreException.Code.DISCONNECTED,
                Failures.describe(endpoint) + ": connecting failed in another thread"));
      }
    }
  }

  private Peer connect(StoreEndpoint endpoint, Deadline deadline) {
    if (endpoint.wireVersion() != StoreServer.WIRE_VERSION) {
      throw new StoreException(
          StoreException.Code.REJECTED,
          Failures.describe(endpoint)
              + " speaks version "
              + endpoint.wireVersion()
              + ", expected "
              + StoreServer.WIRE_VERSION);
    }
    StoreException failure = null;
    for (InetSocketAddress address : endpoint.addresses()) {
      try {
        return attach(endpoint, rpc.connect(address, deadline), deadline);
      } catch (RpcException | VerbsException e) {
        StoreException next = Failures.of(endpoint, e);
        if (failure != null) {
          next.addSuppressed(failure);
        }
        failure = next;
      }
    }
    throw failure;
  }

  private static Peer attach(StoreEndpoint endpoint, RpcConnection connection, Deadline deadline) {
    boolean attached = false;
    try {
      Peer peer = Peer.attach(endpoint, connection, deadline);
      attached = true;
      return peer;
    } finally {
      if (!attached) {
        connection.close();
      }
    }
  }

  /** What the thread that connects comes to; empty if that one was interrupted and gave up. */
  private static Optional<Peer> await(
      StoreEndpoint endpoint, CompletableFuture<Peer> future, Deadline deadline) {
    try {
      return Optional.of(future.get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS));
    } catch (ExecutionException e) {
      StoreException.Code code =
          e.getCause() instanceof StoreException failed
              ? failed.code()
              : StoreException.Code.DISCONNECTED;
      if (code == StoreException.Code.INTERRUPTED) {
        return Optional.empty();
      }
      throw new StoreException(code, e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new StoreException(
          StoreException.Code.TIMED_OUT, Failures.describe(endpoint) + ": still connecting", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted(endpoint, e);
    }
  }

  /** An interrupt closes the socket of who connects, which looks like a failure of the peer. */
  private static StoreException interrupted(StoreEndpoint endpoint, Exception cause) {
    return new StoreException(
        StoreException.Code.INTERRUPTED,
        Failures.describe(endpoint) + ": interrupted while connecting",
        cause);
  }

  /** Forgets a connection; its open transfers end. */
  void drop(Peer peer) {
    CompletableFuture<Peer> future = peers.get(peer.endpoint());
    if (future != null
        && future.isDone()
        && !future.isCompletedExceptionally()
        && future.join() == peer
        && peers.remove(peer.endpoint(), future)) {
      onDrop.accept(peer);
      try {
        closer.execute(() -> peer.connection().close());
      } catch (RejectedExecutionException e) {
        LOG.debug("{}: the client is closing, and its connections with it", peer, e);
      }
    }
  }

  /** Forgets what is known of a store. */
  void drop(StoreEndpoint endpoint) {
    CompletableFuture<Peer> future = peers.get(endpoint);
    if (future != null && future.isDone() && !future.isCompletedExceptionally()) {
      drop(future.join());
    }
  }

  @Override
  public void close() {
    closed = true;
    peers.keySet().forEach(this::drop);
    closer.shutdown();
  }
}
