// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Option;
import scala.Tuple2;
import scala.Tuple3;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Tests of Spark's suite that look at files, restated for a store: the same steps, with the block
 * resolver asked where theirs look into the folders of the disk block manager.
 */
final class StoreCases {
  private static final String NO_STAGE_RETRY = "spark.test.noStageRetry";

  private static final Map<String, Case> ALL =
      Map.of(
          // Theirs wants files in the folders after the shuffle.
          "shuffle with different compression settings (SPARK-3426)",
          new Case(StoreCases::compressionSettings, false),
          // Theirs deletes the data and the index file.
          "[SPARK-4085] rerun map stage if reduce stage cannot find its local shuffle file",
          new Case(StoreCases::lostOutput, true),
          // Theirs wants the data and the index file once the stage has run, and not before.
          "cannot find its local shuffle file if no execution of the stage and rerun shuffle",
          new Case(StoreCases::outputAppears, false),
          // Theirs overwrites a byte of the data file.
          "SPARK-36206: shuffle checksum detect disk corruption",
          new Case(StoreCases::corruption, true));

  private StoreCases() {}

  /** What a test does. */
  @FunctionalInterface
  interface Body {
    void run(VerbenaShuffleSuite suite) throws IOException;
  }

  /**
   * A restated test.
   *
   * @param breaksBlocks whether blocks are lost on purpose, so that traffic is not what it should
   *     be
   */
  record Case(Body body, boolean breaksBlocks) {
    void run(VerbenaShuffleSuite suite) {
      try {
        body.run(suite);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  static Optional<Case> named(String name) {
    return Optional.ofNullable(ALL.get(name));
  }

  private static void compressionSettings(VerbenaShuffleSuite suite) throws IOException {
    for (String spills : List.of("true", "false")) {
      for (String blocks : List.of("true", "false")) {
        suite.resetSparkContext();
        suite.sc_$eq(
            new SparkContext(
                suite
                    .confWith(
                        Map.of(
                            "spark.shuffle.spill.compress",
                            spills,
                            "spark.shuffle.compress",
                            blocks))
                    .setAppName("test")
                    .setMaster("local")));
        Map<Integer, Iterable<Integer>> groups =
            java(suite)
                .parallelize(IntStream.range(0, 10).boxed().toList())
                .mapToPair(i -> new Tuple2<>(i / 4, i))
                .groupByKey()
                .collectAsMap();
        assertThat(groups).hasSize(3);
        assertThat(groups.get(2)).containsExactlyInAnyOrder(8, 9);
        for (ShuffleBlockId block : blocks()) {
          assertThat(stored(block).size()).isPositive();
        }
      }
    }
  }

  private static void lostOutput(VerbenaShuffleSuite suite) throws IOException {
    JavaPairRDD<Integer, Integer> counts =
        counts(suite, "local", 2, Map.of(NO_STAGE_RETRY, "false"));
    assertThat(counts.count()).isEqualTo(10);
    ShuffleBlockId lost = blocks().get(0);
    assertThat(stored(lost).size()).isPositive();
    resolver().removeDataByMap(lost.shuffleId(), lost.mapId());
    assertThatThrownBy(() -> stored(lost)).isInstanceOf(IOException.class);
    assertThat(counts.count()).isEqualTo(10);
    assertThat(blocks()).hasSize(2).doesNotContain(lost);
  }

  private static void outputAppears(VerbenaShuffleSuite suite) throws IOException {
    JavaPairRDD<Integer, Integer> counts = counts(suite, "local", 1, Map.of());
    assertThatThrownBy(() -> stored(new ShuffleBlockId(0, 0, 0))).isInstanceOf(IOException.class);
    assertThat(counts.count()).isEqualTo(10);
    assertThat(blocks()).containsExactly(new ShuffleBlockId(0, 0, 0));
    assertThat(stored(new ShuffleBlockId(0, 0, 0)).size()).isPositive();
  }

  private static void corruption(VerbenaShuffleSuite suite) throws IOException {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.shuffle.checksum.enabled", "true");
    settings.put(NO_STAGE_RETRY, "false");
    settings.put("spark.stage.maxConsecutiveAttempts", "1");
    JavaPairRDD<Integer, Integer> counts = counts(suite, "local-cluster[2,1,1024]", 2, settings);
    assertThat(counts.count()).isEqualTo(10);
    List<ShuffleBlockId> written = blocks();
    Signals signals = new Signals(Files.createTempDirectory("corruption"));
    int spoilt =
        java(suite)
            .parallelize(List.of(1, 2), Cluster.EXECUTORS)
            .map(
                unused -> {
                  signals.give(SparkEnv.get().executorId(), "");
                  signals.awaitAll("", Cluster.EXECUTORS);
                  return spoilOne(written);
                })
            .reduce(Integer::sum);
    assertThat(spoilt).isPositive();
    assertThatThrownBy(counts::count)
        .isInstanceOf(SparkException.class)
        .hasMessageContaining("corrupted due to DISK_ISSUE");
  }

  private static JavaPairRDD<Integer, Integer> counts(
      VerbenaShuffleSuite suite, String master, int maps, Map<String, String> settings) {
    suite.sc_$eq(new SparkContext(suite.confWith(settings).setMaster(master).setAppName("test")));
    return java(suite)
        .parallelize(IntStream.rangeClosed(1, 10).boxed().toList(), maps)
        .mapToPair(i -> new Tuple2<>(i, 1))
        .reduceByKey(Integer::sum);
  }

  private static JavaSparkContext java(VerbenaShuffleSuite suite) {
    return JavaSparkContext.fromSparkContext(suite.sc());
  }

  /** The blocks of the first shuffle's first partition, as the driver knows them. */
  private static List<ShuffleBlockId> blocks() {
    List<ShuffleBlockId> blocks = new ArrayList<>();
    CollectionConverters.asJava(SparkEnv.get().mapOutputTracker().getMapSizesByExecutorId(0, 0))
        .forEachRemaining(
            executor -> {
              for (Tuple3<BlockId, Object, Object> block :
                  CollectionConverters.asJava(executor._2())) {
                blocks.add((ShuffleBlockId) block._1());
              }
            });
    return blocks;
  }

  private static IndexShuffleBlockResolver resolver() {
    return (IndexShuffleBlockResolver) SparkEnv.get().shuffleManager().shuffleBlockResolver();
  }

  private static ManagedBuffer stored(ShuffleBlockId block) throws IOException {
    return resolver().getBlockData(block, Option.empty());
  }

  /** In an executor: overwrites the first byte of the first block that is here; how many were. */
  private static int spoilOne(List<ShuffleBlockId> blocks) throws IOException {
    for (ShuffleBlockId block : blocks) {
      ByteBuffer bytes;
      try {
        bytes = stored(block).nioByteBuffer();
      } catch (IOException e) {
        // The other executor has it.
        continue;
      }
      return PoolBytes.spoil(SparkEnv.get().conf().getAppId(), SparkEnv.get().executorId(), bytes);
    }
    return 0;
  }
}
