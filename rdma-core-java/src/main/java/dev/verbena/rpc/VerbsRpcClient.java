// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A client: its thread and its connections. */
final class VerbsRpcClient implements RpcClient {
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

  private final RpcResources resources;
  private final VersionRange versions;
  private final Reactor reactor;
  private final ReactorThread thread;
  private final Set<ClientConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean closed;

  VerbsRpcClient(
      Device device, ProtectionDomain domain, RpcOptions options, VersionRange versions) {
    this.versions = versions;
    resources = new RpcResources(device, domain, options);
    reactor = new Reactor(device, options.waiting(), true);
    thread = ReactorThread.start(reactor, "verbena-rpc-client-" + device.name());
  }

  @Override
  public RpcConnection connect(InetSocketAddress server, Deadline deadline) {
    if (closed) {
      throw new RpcException(RpcException.Code.CLOSED, false, "the client is closed", null);
    }
    if (count.incrementAndGet() > resources.options().maxConnections()) {
      count.decrementAndGet();
      throw new RpcException(
          RpcException.Code.OVERLOADED,
          false,
          "this client has its " + resources.options().maxConnections() + " connections open",
          null);
    }
    ClientConnection made =
        ClientConnection.connect(
            resources, reactor, server, versions, count::decrementAndGet, deadline);
    connections.removeIf(connection -> !connection.isOpen());
    connections.add(made);
    if (closed) {
      made.close();
      throw new RpcException(RpcException.Code.CLOSED, false, "the client is closed", null);
    }
    return made;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    try {
      for (ClientConnection connection : List.copyOf(connections)) {
        connection.close();
      }
      thread.stop(Deadline.after(CLOSE_PATIENCE));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      resources.close();
    }
  }
}
