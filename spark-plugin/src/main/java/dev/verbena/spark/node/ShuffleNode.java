// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.spark.conf.ConfigurationException;
import dev.verbena.spark.conf.ShuffleSettings;
import dev.verbena.store.BlockStore;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.BlockClient;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.util.TransportConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor runs for the shuffle: its store, served to others, and a client to theirs.
 * Thread-safe.
 */
public final class ShuffleNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleNode.class);
  private static final int IDLE_SECONDS = 10;

  private final NodePlace place;
  private final ShuffleSettings settings;
  private final TransportConf transportConf;
  private final StoreDirectory directory;
  private final LocalBlockStore store;
  private final Optional<StoreLinks> links;
  private final ExecutorService helpers;

  /**
   * Opens the store, serves it, and tells the driver where it is.
   *
   * @param transportConf Spark's transfer settings, for fetches to disk
   * @throws ConfigurationException without a device, where the shuffle is required
   */
  public ShuffleNode(
      NodePlace place,
      ShuffleSettings settings,
      TransportConf transportConf,
      StoreDirectory directory) {
    this.place = place;
    this.settings = settings;
    this.transportConf = transportConf;
    this.directory = directory;
    StorePlan plan = StorePlan.of(settings, place);
    this.store = LocalBlockStore.open(plan.storeOptions());
    this.helpers =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "verbena-shuffle-fallback");
              thread.setDaemon(true);
              return thread;
            });
    boolean opened = false;
    try {
      clear();
      this.links = serve(plan);
      links.ifPresent(served -> directory.register(plan.advertised(served.endpoint())));
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** A device keeps what it holds, but no executor comes back for its blocks. */
  private void clear() {
    int stale = store.removeMapOutputs();
    if (stale > 0) {
      LOG.info(
          "Executor {} removed {} map outputs of earlier executors from {}",
          place.executor(),
          stale,
          settings.pool().directory());
    }
  }

  private Optional<StoreLinks> serve(StorePlan plan) {
    try {
      return Optional.of(
          StoreLinks.open(store, place.executor(), plan.bindAddress(), plan.serveOptions()));
    } catch (RuntimeException failure) {
      if (settings.required()) {
        throw new ConfigurationException(
            "executor %s has no verbs (provider %s at %s): %s; spark.shuffle.verbena.required = 'true'"
                .formatted(place.executor(), settings.provider(), plan.bindAddress(), failure),
            failure);
      }
      LOG.warn(
          "Executor {} has no verbs (provider {} at {}), its blocks go by Spark's own transfer",
          place.executor(),
          settings.provider(),
          plan.bindAddress(),
          failure);
      return Optional.empty();
    }
  }

  /** The application's id. */
  public String application() {
    return place.application();
  }

  /** The executor's own store. */
  public BlockStore store() {
    return store;
  }

  /** The application's stores. */
  public StoreDirectory directory() {
    return directory;
  }

  /** Whether stores on the same host are read by mapping. */
  public boolean mapsPeers() {
    return settings.mapped();
  }

  /** The client to other stores; empty if there is no device. */
  public Optional<BlockClient> client() {
    return links.map(StoreLinks::client);
  }

  /** A client that goes by tcp only, if {@link #client} may go in another way. */
  public Optional<BlockClient> tcpClient() {
    return links.flatMap(StoreLinks::tcpClient);
  }

  /** Spark's transfer settings. */
  public TransportConf transportConf() {
    return transportConf;
  }

  /** Starts a map output. */
  public MapOutputWriter openMapOutput(int shuffle, long mapId, int partitions) {
    return store.openMapOutput(key(shuffle, mapId), partitions);
  }

  /** Names a map output of the application. */
  public MapOutputKey key(int shuffle, long mapId) {
    return new MapOutputKey(place.application(), shuffle, mapId);
  }

  /** Runs what may block off the thread that found the need. */
  public void execute(Runnable task) {
    helpers.execute(task);
  }

  @Override
  public void close() {
    helpers.shutdown();
    try (store) {
      if (links != null) {
        links.ifPresent(StoreLinks::close);
      }
    }
  }
}
