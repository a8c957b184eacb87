// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoredMapOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.Adler32;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.network.util.AbstractFileRegion;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

final class VerbenaBlockResolverTest {
  private static final int PARTITIONS = 4;

  private static JavaSparkContext spark;

  /** Held, since Spark removes the shuffle of an RDD that is collected. */
  private static JavaPairRDD<Integer, String> shuffled;

  private static VerbenaShuffleManager manager;
  private static IndexShuffleBlockResolver resolver;
  private static MapOutputKey key;

  @BeforeAll
  static void writeAShuffle() {
    // Rounds of 1 MiB, so that a partition's bytes are in several places.
    spark =
        SparkApplications.local(
            Map.of(
                "spark.serializer",
                "org.apache.spark.serializer.KryoSerializer",
                "spark.shuffle.verbena.writer.buffer",
                "1m"));
    List<Integer> seeds = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      seeds.add(i);
    }
    shuffled =
        spark
            .parallelize(seeds, 1)
            .mapToPair(i -> new Tuple2<>(i, "value-" + i))
            .partitionBy(new HashPartitioner(PARTITIONS));
    assertThat(shuffled.count()).isEqualTo(seeds.size());
    manager = (VerbenaShuffleManager) SparkEnv.get().shuffleManager();
    resolver = manager.shuffleBlockResolver();
    key = manager.node().store().mapOutputs(manager.node().application()).get(0);
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  private static byte[] stored(int first, int end) throws IOException {
    try (StoredMapOutput output = manager.node().store().find(key).orElseThrow();
        var in = output.open(first, end)) {
      return in.readAllBytes();
    }
  }

  @Test
  void aBlockIsWhatTheStoreHasForItHoweverSparkReadsIt() throws Exception {
    BlockId id = new ShuffleBlockId(key.shuffle(), key.mapAttempt(), 2);
    ManagedBuffer data = resolver.getBlockData(id, Option.empty());
    byte[] expected = stored(2, 3);
    assertThat(expected).isNotEmpty();
    assertThat(data.size()).isEqualTo(expected.length);
    assertThat(data.createInputStream().readAllBytes()).isEqualTo(expected);
    assertThat(data.nioByteBuffer()).isEqualTo(ByteBuffer.wrap(expected));
    AbstractFileRegion region = (AbstractFileRegion) data.convertToNetty();
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    while (region.transferred() < region.count()) {
      assertThat(region.transferTo(Channels.newChannel(sent), region.transferred())).isPositive();
    }
    region.release();
    assertThat(sent.toByteArray()).isEqualTo(expected);
  }

  @Test
  void aBatchIsTheWholeRange() throws Exception {
    BlockId id = new ShuffleBlockBatchId(key.shuffle(), key.mapAttempt(), 1, 3);
    ManagedBuffer data = resolver.getBlockData(id, Option.empty());
    assertThat(data.createInputStream().readAllBytes()).isEqualTo(stored(1, 3));
  }

  @Test
  void whatIsNotThereIsAnIoException() {
    assertThatThrownBy(
            () -> resolver.getBlockData(new ShuffleBlockId(key.shuffle(), 999, 0), Option.empty()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("999");
    assertThatThrownBy(
            () ->
                resolver.getBlockData(
                    new ShuffleBlockId(key.shuffle(), key.mapAttempt(), 0),
                    Option.apply(new String[] {"/tmp"})))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not in a local directory");
  }

  @Test
  void sparksDiagnosisFindsTheChecksumsThatTheWriterLeft() throws Exception {
    Adler32 checksum = new Adler32();
    checksum.update(stored(3, 4));
    ShuffleBlockId id = new ShuffleBlockId(key.shuffle(), key.mapAttempt(), 3);
    var blocks = SparkEnv.get().blockManager();
    assertThat(blocks.diagnoseShuffleBlockCorruption(id, checksum.getValue(), "ADLER32"))
        .isEqualTo(Cause.CHECKSUM_VERIFY_PASS);
    assertThat(blocks.diagnoseShuffleBlockCorruption(id, checksum.getValue() + 1, "ADLER32"))
        .isEqualTo(Cause.NETWORK_ISSUE);
  }

  @Test
  void aMapOutputThatMigratesHasTheSameBlocksAtItsNewPlace() throws Exception {
    assertThat(CollectionConverters.asJava(resolver.getStoredShuffles()))
        .contains(new ShuffleBlockInfo(key.shuffle(), key.mapAttempt()));
    long elsewhere = key.mapAttempt() + 1000;
    var pieces =
        CollectionConverters.asJava(
            resolver.getMigrationBlocks(new ShuffleBlockInfo(key.shuffle(), key.mapAttempt())));
    assertThat(pieces).hasSize(2);
    for (Tuple2<BlockId, ManagedBuffer> piece : pieces) {
      BlockId id =
          piece._1() instanceof ShuffleDataBlockId
              ? new ShuffleDataBlockId(key.shuffle(), elsewhere, 0)
              : new ShuffleIndexBlockId(key.shuffle(), elsewhere, 0);
      StreamCallbackWithID incoming =
          resolver.putShuffleBlockAsStream(id, SparkEnv.get().serializerManager());
      incoming.onData(id.name(), piece._2().nioByteBuffer());
      incoming.onComplete(id.name());
    }
    MapOutputKey moved = new MapOutputKey(key.application(), key.shuffle(), elsewhere);
    try (StoredMapOutput output = manager.node().store().find(moved).orElseThrow();
        StoredMapOutput before = manager.node().store().find(key).orElseThrow()) {
      assertThat(output.partitions()).isEqualTo(PARTITIONS);
      assertThat(output.checksums()).hasSize(PARTITIONS).isEqualTo(before.checksums());
      for (int partition = 0; partition < PARTITIONS; partition++) {
        try (var in = output.open(partition, partition + 1)) {
          assertThat(in.readAllBytes()).isEqualTo(stored(partition, partition + 1));
        }
      }
    }
  }
}
