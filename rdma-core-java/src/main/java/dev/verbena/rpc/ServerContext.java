// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the connections of a server share. Thread-safe. */
final class ServerContext {
  private static final Logger LOG = LoggerFactory.getLogger(ServerContext.class);
  private static final int MOST_SPARE_CALLS = 256;

  private final RpcResources resources;
  private final MethodTable methods;
  private final Executor workers;
  private final Consumer<RpcPeer> onConnectionEnd;
  private final ServerCounters counters = new ServerCounters();
  private final ArrayBlockingQueue<ServerCall> spare = new ArrayBlockingQueue<>(MOST_SPARE_CALLS);

  ServerContext(RpcResources resources, RpcMethods methods, Executor workers) {
    this.resources = resources;
    this.methods = new MethodTable(methods.copy());
    this.workers = workers;
    this.onConnectionEnd = methods.connectionEnd();
  }

  RpcResources resources() {
    return resources;
  }

  RpcOptions options() {
    return resources.options();
  }

  MethodTable methods() {
    return methods;
  }

  Executor workers() {
    return workers;
  }

  ServerCounters counters() {
    return counters;
  }

  /** An authenticated connection is gone. */
  void ended(RpcPeer peer) {
    try {
      onConnectionEnd.accept(peer);
    } catch (RuntimeException e) {
      LOG.error("who is told that the connection to {} ended threw", peer, e);
    }
  }

  ServerCall takeCall() {
    ServerCall call = spare.poll();
    return call == null ? new ServerCall(options().eagerBytes()) : call;
  }

  /** Keeps it for the next call, if there is room. */
  void recycle(ServerCall call) {
    spare.offer(call);
  }
}
