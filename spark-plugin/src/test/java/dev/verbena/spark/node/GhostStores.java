// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.store.serve.StoreServer;
import java.net.InetSocketAddress;
import java.util.List;

/** Tells the driver of stores that do not answer. */
public final class GhostStores {
  private GhostStores() {}

  /** A store of that executor at an address where nobody listens. */
  public static void register(StoreDirectory directory, String executor, InetSocketAddress nobody) {
    directory.register(new StoreEndpoint(executor, List.of(nobody), 1, StoreServer.WIRE_VERSION));
  }
}
