// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.BlockClient;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.store.serve.StoreClient;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.store.serve.StoreServer;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Serves an executor's store, and reads from others. Thread-safe. */
final class StoreLinks implements AutoCloseable {
  private final ServeOptions options;
  private final StoreServer server;
  private final StoreClient client;
  private StoreClient tcpClient;
  private boolean closed;

  private StoreLinks(ServeOptions options, StoreServer server, StoreClient client) {
    this.options = options;
    this.server = server;
    this.client = client;
  }

  /**
   * Starts serving.
   *
   * @throws RuntimeException if there is no device, or its address is taken
   */
  static StoreLinks open(
      LocalBlockStore store, String executor, InetSocketAddress bind, ServeOptions options) {
    StoreServer server = StoreServer.open(store, executor, bind, options);
    try {
      return new StoreLinks(options, server, StoreClient.open(options));
    } catch (RuntimeException failure) {
      server.close();
      throw failure;
    }
  }

  StoreEndpoint endpoint() {
    return server.endpoint();
  }

  BlockClient client() {
    return client;
  }

  /**
   * A client that goes by tcp alone, made when first needed; empty if the other one does, or has no
   * such carrier.
   */
  synchronized Optional<BlockClient> tcpClient() {
    if (options.tcpOnly() || closed || !ServeOptions.choosesCarrier(options.provider())) {
      return Optional.empty();
    }
    if (tcpClient == null) {
      tcpClient = StoreClient.open(options.withTcpOnly(true));
    }
    return Optional.of(tcpClient);
  }

  @Override
  public synchronized void close() {
    closed = true;
    try (server;
        client) {
      if (tcpClient != null) {
        tcpClient.close();
      }
    }
  }
}
