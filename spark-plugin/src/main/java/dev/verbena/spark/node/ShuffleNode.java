// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.spark.conf.ShuffleSettings;
import dev.verbena.store.BlockStore;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.BlockClient;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.util.TransportConf;

/**
 * What an executor runs for the shuffle: its store, served to others, and a client to theirs.
 * Thread-safe.
 */
public final class ShuffleNode implements AutoCloseable {
  private static final int IDLE_SECONDS = 10;

  private final String application;
  private final ShuffleSettings settings;
  private final TransportConf transportConf;
  private final StoreDirectory directory;
  private final BlockStore store;
  private final ExecutorService helpers;

  /**
   * Opens the store and tells the driver where it is.
   *
   * @param localDirectory the executor's first spark.local.dir
   * @param transportConf Spark's transfer settings, for fetches to disk
   */
  public ShuffleNode(
      String application,
      String executor,
      ShuffleSettings settings,
      Path localDirectory,
      TransportConf transportConf,
      StoreDirectory directory) {
    this.application = application;
    this.settings = settings;
    this.transportConf = transportConf;
    this.directory = directory;
    this.store =
        LocalBlockStore.open(
            new StorePlan(settings, application, executor, localDirectory).options());
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
  }

  /** The application's id. */
  public String application() {
    return application;
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
    return Optional.empty();
  }

  /** A client that goes by tcp only, if {@link #client} may go in another way. */
  public Optional<BlockClient> tcpClient() {
    return Optional.empty();
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
    return new MapOutputKey(application, shuffle, mapId);
  }

  /** Runs what may block off the thread that found the need. */
  public void execute(Runnable task) {
    helpers.execute(task);
  }

  @Override
  public void close() {
    helpers.shutdown();
    store.close();
  }
}
