// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ProtectionDomain;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server: its threads, its connections, and who may connect. */
final class VerbsRpcServer implements RpcServer, Acceptor.Door {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsRpcServer.class);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);
  private static final int BACKLOG = 128;
  private static final int PROCESSORS_A_POLLER = 8;

  private final ServerContext context;
  private final VersionRange versions;
  private final Listener listener;
  private final Acceptor acceptor;
  private final ThreadPoolExecutor workers;
  private final List<Reactor> reactors = new ArrayList<>();
  private final List<ReactorThread> threads = new ArrayList<>();
  private final Map<Long, ServerConnection> connections = new ConcurrentHashMap<>();
  private final long incarnation = new SecureRandom().nextLong();
  private int nextReactor;
  private volatile boolean closed;

  VerbsRpcServer(
      Device device,
      ProtectionDomain domain,
      InetSocketAddress bind,
      RpcOptions options,
      RpcMethods methods,
      VersionRange versions) {
    this.versions = versions;
    listener = device.listen(bind, BACKLOG);
    String name = "verbena-rpc-" + listener.address().getPort();
    workers = newWorkers(options, name);
    context = new ServerContext(new RpcResources(device, domain, options), methods, workers);
    int pollers = 1 + Runtime.getRuntime().availableProcessors() / PROCESSORS_A_POLLER;
    for (int i = 0; i < pollers; i++) {
      Reactor reactor = new Reactor(device, options.waiting(), false);
      reactors.add(reactor);
      threads.add(ReactorThread.start(reactor, name + "-poll-" + i));
    }
    acceptor = Acceptor.start(listener, this, options.handshakeTimeout());
    LOG.info("RPC server listens at {}, incarnation {}", listener.address(), incarnation);
  }

  private static ThreadPoolExecutor newWorkers(RpcOptions options, String name) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor workers =
        new ThreadPoolExecutor(
            options.workers(),
            options.workers(),
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(options.maxQueuedCalls()),
            task -> {
              Thread thread = new Thread(task, name + "-work-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    workers.prestartAllCoreThreads();
    return workers;
  }

  @Override
  public InetSocketAddress address() {
    return listener.address();
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public Statistics statistics() {
    return context.counters().snapshot();
  }

  @Override
  public MessageStatus control(ConnectionRequest request, Deadline deadline) {
    RpcOptions options = context.options();
    if (context.counters().unauthenticated.get() >= options.maxUnauthenticated()
        || connections.size() >= options.maxConnections()) {
      context.counters().overloaded.increment();
      return MessageStatus.OVERLOADED;
    }
    ServerHandshake handshake =
        new ServerHandshake(
            options,
            versions,
            listener.address(),
            context.resources().device().name(),
            incarnation);
    ServerConnection connection =
        new ServerConnection(context, chooseReactor(), handshake, request, this::forget);
    connections.put(connection.sessionId(), connection);
    connection.accept(deadline);
    return null;
  }

  @Override
  public MessageStatus bulk(ConnectionRequest request, ConnectData data, Deadline deadline) {
    ServerConnection connection = connections.get(data.sessionId());
    if (connection == null || !connection.acceptBulk(request, data, deadline)) {
      context.counters().authenticationFailures.increment();
      return MessageStatus.AUTHENTICATION;
    }
    return null;
  }

  private Reactor chooseReactor() {
    nextReactor = (nextReactor + 1) % reactors.size();
    return reactors.get(nextReactor);
  }

  private void forget(ServerConnection connection) {
    connections.remove(connection.sessionId());
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    Deadline deadline = Deadline.after(CLOSE_PATIENCE);
    try {
      acceptor.stop(deadline);
      List<ServerConnection> all = List.copyOf(connections.values());
      for (ServerConnection connection : all) {
        connection
            .link()
            .fail(new RpcException(RpcException.Code.CLOSED, true, "the server closes", null));
      }
      // After the links: a handler that the interrupt ends must not answer its client any more.
      workers.shutdownNow();
      for (ServerConnection connection : all) {
        connection.link().awaitFreed(deadline);
      }
      if (!workers.awaitTermination(deadline.remainingMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("a handler of the server at {} does not return", listener.address());
      }
      for (ReactorThread thread : threads) {
        thread.stop(deadline);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      context.resources().close();
    }
  }

  @Override
  public String toString() {
    return "RPC server at " + listener.address();
  }
}
