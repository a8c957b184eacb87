// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** The methods of a server by number. Not thread-safe; a server copies it when it starts. */
public final class RpcMethods {
  /** A handler and where it runs. */
  record Entry(RpcHandler handler, boolean inline) {}

  private final Map<Integer, Entry> entries = new HashMap<>();
  private Consumer<RpcPeer> onConnectionEnd = peer -> {};

  /** Adds a method that runs on the server's workers and may block. */
  public RpcMethods add(int method, RpcHandler handler) {
    return put(method, handler, false);
  }

  /**
   * Adds a method that runs on the thread that polls, without a hand-over: least latency, and every
   * other call waits meanwhile. For handlers of a few microseconds that never block.
   */
  public RpcMethods addInline(int method, RpcHandler handler) {
    return put(method, handler, true);
  }

  /**
   * Has {@code listener} told of each authenticated connection that ended, once its queue pairs are
   * gone: no bind and no transfer on it succeeds any more. Called by the thread that polls, so it
   * must be short and must not block. Replaces the one set before.
   */
  public RpcMethods onConnectionEnd(Consumer<RpcPeer> listener) {
    onConnectionEnd = Objects.requireNonNull(listener, "listener");
    return this;
  }

  private RpcMethods put(int method, RpcHandler handler, boolean inline) {
    Objects.requireNonNull(handler, "handler");
    if (entries.putIfAbsent(method, new Entry(handler, inline)) != null) {
      throw new IllegalArgumentException("method " + method + " is registered already");
    }
    return this;
  }

  Consumer<RpcPeer> connectionEnd() {
    return onConnectionEnd;
  }

  Map<Integer, Entry> copy() {
    return Map.copyOf(entries);
  }
}
