// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.spark.metrics.CarrierTotals;
import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.spark.node.GhostStores;
import dev.verbena.spark.node.ShuffleNode;
import dev.verbena.spark.read.BlockClients;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoredMapOutput;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.SimpleDownloadFile;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One executor that reads its own store as if it were another's, in every way there is. */
final class FallbackOrderTest {
  private static Path memory;
  private static JavaSparkContext spark;

  /** Held, since Spark removes the shuffle of an RDD that is collected. */
  private static JavaRDD<Integer> shuffled;

  private static ShuffleNode node;
  private static MapOutputKey key;
  private static byte[] expected;

  private final CarrierTotals totals = new CarrierTotals();

  @BeforeAll
  static void writeAShuffle() throws Exception {
    memory = Files.createTempDirectory(Path.of("/dev/shm"), "verbena-fallback-order-");
    spark =
        SparkApplications.local(
            Map.of(
                "spark.shuffle.verbena.timeout.connect",
                "2s",
                "spark.shuffle.verbena.pool.directory",
                memory.toString()));
    shuffled = spark.parallelize(List.of(1, 2, 3, 4), 1).repartition(1);
    assertThat(shuffled.count()).isEqualTo(4);
    node = ((VerbenaShuffleManager) SparkEnv.get().shuffleManager()).node();
    key = node.store().mapOutputs(node.application()).get(0);
    try (StoredMapOutput output = node.store().find(key).orElseThrow();
        var in = output.open(0, 1)) {
      expected = in.readAllBytes();
    }
  }

  @AfterAll
  static void stop() throws IOException {
    spark.close();
    Files.delete(memory);
  }

  private byte[] fetch(String executor, long map) throws Exception {
    return fetch(executor, map, null);
  }

  private byte[] fetch(String executor, long map, DownloadFileManager files) throws Exception {
    BlockManagerId here = SparkEnv.get().blockManager().blockManagerId();
    BlockStoreClient client =
        BlockClients.create(node, SparkEnv.get().blockManager().blockStoreClient(), totals);
    CompletableFuture<byte[]> fetched = new CompletableFuture<>();
    client.fetchBlocks(
        here.host(),
        here.port(),
        executor,
        new String[] {new ShuffleBlockId(key.shuffle(), map, 0).name()},
        new BlockFetchingListener() {
          @Override
          public void onBlockFetchSuccess(String block, ManagedBuffer data) {
            try (var in = data.createInputStream()) {
              fetched.complete(in.readAllBytes());
            } catch (IOException failure) {
              fetched.completeExceptionally(failure);
            }
          }

          @Override
          public void onBlockFetchFailure(String block, Throwable failure) {
            fetched.completeExceptionally(failure);
          }
        },
        files);
    return fetched.get(60, TimeUnit.SECONDS);
  }

  /** Has no memory for another connection while {@code action} runs. */
  private static <T> T withoutMemory(Callable<T> action) throws Exception {
    String own = SparkEnv.get().executorId();
    node.client().orElseThrow().forget(node.directory().find(own).orElseThrow());
    Path away = memory.resolveSibling(memory.getFileName() + "-away");
    Files.move(memory, away);
    try {
      return action.call();
    } finally {
      Files.move(away, memory);
    }
  }

  @Test
  void withoutMemoryForAConnectionBlocksGoBySparksTransfer() throws Exception {
    String own = SparkEnv.get().executorId();
    assertThat(withoutMemory(() -> fetch(own, key.mapAttempt()))).isEqualTo(expected);
    assertThat(totals.blocks(Carrier.NETTY)).isEqualTo(1);
    assertThat(totals.blocks(Carrier.SHM)).isZero();
    assertThat(totals.fallbacks(FallbackReason.DISCONNECTED)).isPositive();
  }

  @Test
  void withoutMemoryForAConnectionBlocksGoToDiskBySparksTransfer() throws Exception {
    String own = SparkEnv.get().executorId();
    TemporaryFiles files = new TemporaryFiles();
    assertThat(withoutMemory(() -> fetch(own, key.mapAttempt(), files))).isEqualTo(expected);
    assertThat(totals.blocks(Carrier.NETTY)).isEqualTo(1);
    assertThat(totals.fallbacks(FallbackReason.DISCONNECTED)).isPositive();
    files.delete();
  }

  @Test
  void aBlockThatCantBeWrittenToDiskByVerbsIsLeftToSparksTransfer() throws Exception {
    TemporaryFiles files = new TemporaryFiles();
    files.failures = 2;
    assertThat(fetch(SparkEnv.get().executorId(), key.mapAttempt(), files)).isEqualTo(expected);
    assertThat(totals.blocks(Carrier.NETTY)).isEqualTo(1);
    assertThat(totals.fallbacks(FallbackReason.OTHER)).isEqualTo(2);
    files.delete();
  }

  @Test
  void aStoreThatAnswersIsReadByVerbs() throws Exception {
    assertThat(fetch(SparkEnv.get().executorId(), key.mapAttempt())).isEqualTo(expected);
    assertThat(totals.blocks(Carrier.SHM)).isEqualTo(1);
    assertThat(totals.bytes(Carrier.SHM)).isEqualTo(expected.length);
    assertThat(totals.blocks(Carrier.NETTY)).isZero();
  }

  @Test
  void anExecutorThatTheDriverHasNoStoreOfIsReadBySparksTransfer() throws Exception {
    assertThat(fetch("nobody", key.mapAttempt())).isEqualTo(expected);
    assertThat(totals.blocks(Carrier.NETTY)).isEqualTo(1);
    assertThat(totals.fallbacks(FallbackReason.UNKNOWN_STORE)).isEqualTo(1);
  }

  @Test
  void aStoreThatDoesNotAnswerIsTriedOverTcpAndThenLeftToSparksTransfer() throws Exception {
    InetSocketAddress nobody;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = (InetSocketAddress) free.getLocalSocketAddress();
    }
    GhostStores.register(node.directory(), "ghost", nobody);
    assertThat(fetch("ghost", key.mapAttempt())).isEqualTo(expected);
    assertThat(totals.blocks(Carrier.NETTY)).isEqualTo(1);
    assertThat(totals.fallbacks(FallbackReason.DISCONNECTED)).isEqualTo(2);
  }

  @Test
  void aBlockThatExistsNowhereFailsInTheEnd() {
    CompletableFuture<byte[]> missing =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return fetch(SparkEnv.get().executorId(), 4711);
              } catch (Exception failure) {
                throw new CompletionException(failure);
              }
            });
    assertThat(missing).failsWithin(Duration.ofSeconds(60));
    assertThat(totals.fallbacks(FallbackReason.NOT_FOUND)).isEqualTo(1);
  }

  /** Files as Spark's fetcher makes them; the first few can't be made. */
  private static final class TemporaryFiles implements DownloadFileManager {
    private final List<DownloadFile> made = new CopyOnWriteArrayList<>();
    private int failures;

    @Override
    public synchronized DownloadFile createTempFile(TransportConf conf) {
      if (failures > 0) {
        failures--;
        throw new IllegalStateException("on purpose");
      }
      try {
        return new SimpleDownloadFile(File.createTempFile("verbena", ".block"), conf);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    @Override
    public boolean registerTempFileToClean(DownloadFile file) {
      return made.add(file);
    }

    void delete() {
      made.forEach(file -> assertThat(file.delete()).isTrue());
    }
  }
}
