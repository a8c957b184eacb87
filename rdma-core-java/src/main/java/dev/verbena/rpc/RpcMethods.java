// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The methods of a server by number. Not thread-safe; a server copies it when it starts. */
public final class RpcMethods {
  /** A handler and where it runs. */
  record Entry(RpcHandler handler, boolean inline) {}

  private final Map<Integer, Entry> entries = new HashMap<>();

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

  private RpcMethods put(int method, RpcHandler handler, boolean inline) {
    Objects.requireNonNull(handler, "handler");
    if (entries.putIfAbsent(method, new Entry(handler, inline)) != null) {
      throw new IllegalArgumentException("method " + method + " is registered already");
    }
    return this;
  }

  Map<Integer, Entry> copy() {
    return Map.copyOf(entries);
  }
}
