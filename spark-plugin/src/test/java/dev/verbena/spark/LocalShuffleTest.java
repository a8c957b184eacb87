// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import scala.Tuple2;

final class LocalShuffleTest {
  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
  private static final int ROWS = 20_000;

  static Stream<Map<String, String>> formats() {
    return Stream.of(
        Map.of(),
        Map.of("spark.serializer", KRYO),
        Map.of("spark.serializer", KRYO, "spark.shuffle.compress", "false"),
        Map.of("spark.serializer", KRYO, "spark.io.compression.codec", "zstd"),
        Map.of("spark.serializer", KRYO, "spark.io.compression.codec", "snappy"),
        Map.of("spark.serializer", KRYO, "spark.io.compression.codec", "lzf"),
        Map.of("spark.serializer", KRYO, "spark.io.compression.lz4.blockSize", "64k"),
        Map.of("spark.serializer", KRYO, "spark.io.encryption.enabled", "true"),
        Map.of("spark.serializer", KRYO, "spark.shuffle.checksum.algorithm", "CRC32C"),
        Map.of("spark.serializer", KRYO, "spark.shuffle.checksum.enabled", "false"),
        Map.of("spark.serializer", KRYO, "spark.shuffle.detectCorrupt.useExtraMemory", "true"),
        Map.of("spark.serializer", KRYO, "spark.shuffle.verbena.writer.direct", "false"),
        Map.of("spark.serializer", KRYO, "spark.shuffle.verbena.writer.buffer", "1m"));
  }

  @ParameterizedTest
  @MethodSource("formats")
  void everyRecordArrivesOnceInEveryFormat(Map<String, String> settings) {
    try (JavaSparkContext spark = SparkApplications.local(settings)) {
      JavaPairRDD<Integer, String> rows = rows(spark);
      List<Tuple2<Integer, String>> shuffled =
          rows.partitionBy(new org.apache.spark.HashPartitioner(7)).collect();
      assertThat(shuffled).hasSize(ROWS).containsExactlyInAnyOrderElementsOf(rows.collect());
      Map<Integer, Integer> counts =
          rows.mapToPair(row -> new Tuple2<>(row._1() % 100, 1))
              .reduceByKey(Integer::sum, 300)
              .collectAsMap();
      assertThat(counts).hasSize(100).allSatisfy((key, count) -> assertThat(count).isEqualTo(200));
      List<Integer> sorted = rows.sortByKey(true, 5).keys().collect();
      assertThat(sorted).isSorted().hasSize(ROWS);
    }
  }

  private static JavaPairRDD<Integer, String> rows(JavaSparkContext spark) {
    List<Integer> seeds = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      seeds.add(i);
    }
    return spark.parallelize(seeds, 4).mapToPair(i -> new Tuple2<>(i, "value-" + i * 31L));
  }

  @Test
  void blocksAreReadFromTheOwnStoreAndCounted() {
    Map<String, Long> seen = new HashMap<>();
    try (JavaSparkContext spark = SparkApplications.local(Map.of("spark.serializer", KRYO))) {
      spark.sc().addSparkListener(new AccumulableSums(seen));
      assertThat(rows(spark).groupByKey(11).count()).isEqualTo(ROWS);
    }
    assertThat(seen.get("verbena.shuffle.blocks.own")).isEqualTo(44);
    assertThat(seen.get("verbena.shuffle.bytes.own"))
        .isEqualTo(seen.get("internal.metrics.shuffle.read.localBytesRead"))
        .isEqualTo(seen.get("internal.metrics.shuffle.write.bytesWritten"));
    assertThat(seen.get("internal.metrics.shuffle.read.recordsRead")).isEqualTo(ROWS);
    assertThat(seen.get("internal.metrics.shuffle.write.recordsWritten")).isEqualTo(ROWS);
    assertThat(seen.keySet()).noneMatch(name -> name.startsWith("verbena.shuffle.fallbacks"));
  }

  @Test
  void anUnregisteredShuffleGivesItsSpaceBack() {
    try (JavaSparkContext spark = SparkApplications.local(Map.of())) {
      JavaPairRDD<Integer, String> shuffled = rows(spark).repartition(3);
      assertThat(shuffled.count()).isEqualTo(ROWS);
      VerbenaShuffleManager manager = (VerbenaShuffleManager) SparkEnv.get().shuffleManager();
      assertThat(manager.node().store().usage().mapOutputs()).isEqualTo(4);
      spark.sc().shuffleDriverComponents().removeShuffle(0, true);
      assertThat(manager.node().store().usage().mapOutputs()).isZero();
      assertThat(manager.node().store().usage().blockBytes()).isZero();
    }
  }
}
