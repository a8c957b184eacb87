// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.sparkhome.SparkApplication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** The same jobs on stock Spark and on ours, over each path and in each format. */
@Tag("spark")
class ShuffleChecksIT {
  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
  private static final String OVERFLOWS = " is full, new blocks go to ";
  private static final double SHARE = 0.99;

  private static Cluster cluster;
  private static Path expected;

  /**
   * A way to run the jobs.
   *
   * @param settings beyond the one key
   * @param carrier what the bytes of other executors must come over
   */
  private record Variant(String name, Map<String, String> settings, String carrier) {
    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void runOnStockSpark() {
    cluster = new Cluster("checks");
    expected = cluster.results("stock");
    cluster.complete(
        cluster
            .application("stock", CheckApplication.class)
            .master("local[2]")
            .arguments(arguments(expected, 0)));
  }

  @AfterAll
  static void removeHome() {
    cluster.close();
  }

  @TestFactory
  Stream<DynamicTest> oneKeyAndDefaults() {
    return results(new Variant("one-key", Map.of(), "mapped"));
  }

  @TestFactory
  Stream<DynamicTest> readsInKryo() {
    return results(
        new Variant(
            "read-kryo",
            Map.of(
                Cluster.KEYS + "path",
                "read",
                "spark.shuffle.readHostLocalDisk",
                "false",
                "spark.serializer",
                KRYO),
            "shm"));
  }

  @TestFactory
  Stream<DynamicTest> readsWhileLocalDisksMayBeRead() {
    return results(
        new Variant(
            "read-uncompressed",
            Map.of(Cluster.KEYS + "path", "read", "spark.shuffle.compress", "false"),
            "shm"));
  }

  @TestFactory
  Stream<DynamicTest> encryptedOverTcp() {
    return results(
        new Variant(
            "tcp-encrypted",
            Map.of(
                Cluster.KEYS + "carrier",
                "tcp",
                "spark.io.encryption.enabled",
                "true",
                "spark.serializer",
                KRYO),
            "tcp"));
  }

  @TestFactory
  Stream<DynamicTest> aTinyPoolOverflowsAndSaysSoOnce() {
    Variant variant =
        new Variant(
            "tiny-pool",
            Map.of(
                Cluster.KEYS + "pool.size",
                "256k",
                "spark.shuffle.readHostLocalDisk",
                "false",
                "spark.serializer",
                KRYO),
            "mapped");
    return Stream.concat(
        results(variant),
        Stream.of(DynamicTest.dynamicTest("warned", ShuffleChecksIT::checkWarnings)));
  }

  /** One line in the log of each executor; what a worker copies twice at its end is one line. */
  private static void checkWarnings() {
    List<Long> warnings =
        cluster.executorLogs().stream()
            .map(
                log ->
                    log.lines()
                        .filter(line -> line.contains(" WARN ") && line.contains(OVERFLOWS))
                        .distinct()
                        .count())
            .filter(count -> count > 0)
            .toList();
    assertThat(warnings).containsExactly(1L, 1L);
  }

  private static Stream<DynamicTest> results(Variant variant) {
    Path found = cluster.results(variant.name());
    SparkApplication application =
        cluster
            .verbena(variant.name(), CheckApplication.class)
            .conf(variant.settings())
            .arguments(arguments(found, Cluster.EXECUTORS));
    cluster.complete(application);
    List<DynamicTest> tests = new ArrayList<>();
    for (String check : Checks.names()) {
      tests.add(DynamicTest.dynamicTest(check, () -> compare(check, found)));
    }
    tests.add(DynamicTest.dynamicTest("carrier", () -> checkCarrier(found, variant)));
    tests.add(DynamicTest.dynamicTest("batches", () -> checkBatches(found, variant)));
    return tests.stream();
  }

  private static String[] arguments(Path folder, int executors) {
    List<String> arguments = new ArrayList<>(List.of(folder.toString(), "" + executors));
    arguments.addAll(Checks.names());
    return arguments.toArray(String[]::new);
  }

  private static void compare(String check, Path folder) {
    CheckResult found = CheckResult.read(folder, check);
    assertThat(found.rows()).isNotEmpty().isEqualTo(CheckResult.read(expected, check).rows());
    switch (check) {
      case SqlChecks.COALESCED -> assertThat(found.plan()).contains("AQEShuffleRead coalesced");
      case SqlChecks.SKEW_JOIN -> assertThat(found.plan()).contains("skew=true");
      case SqlChecks.LOCAL_READER -> assertThat(found.plan()).contains("AQEShuffleRead local");
      case RddChecks.STAGE_RETRY -> {
        // Each task that is running when the output is missed may tell of it.
        assertThat(found.traffic().count(Traffic.FETCH_FAILURES))
            .isBetween(1L, (long) Cluster.EXECUTORS);
        assertThat(found.traffic().count(Traffic.STAGE_RETRIES)).isPositive();
      }
      default -> assertThat(found.traffic().count(Traffic.STAGE_RETRIES)).isZero();
    }
  }

  private static void checkCarrier(Path folder, Variant variant) {
    Traffic all =
        Checks.names().stream()
            .map(check -> CheckResult.read(folder, check).traffic())
            .reduce(Traffic::plus)
            .orElseThrow();
    assertThat(all.fallbacks()).as("%s", all).isZero();
    assertThat(all.foreignBytes()).isPositive();
    assertThat(all.share(variant.carrier())).as("%s", all).isGreaterThanOrEqualTo(SHARE);
  }

  /** Joined partitions are read as one block a map output, unless they are encrypted. */
  private static void checkBatches(Path folder, Variant variant) {
    Traffic traffic = CheckResult.read(folder, SqlChecks.COALESCED).traffic();
    long blocks =
        traffic.counts().entrySet().stream()
            .filter(entry -> entry.getKey().startsWith("blocks."))
            .mapToLong(Map.Entry::getValue)
            .sum();
    if (variant.settings().containsKey("spark.io.encryption.enabled")) {
      assertThat(blocks).isGreaterThanOrEqualTo(SqlChecks.PARTITIONS * SqlChecks.MAPS);
    } else {
      assertThat(blocks).isPositive().isLessThan(SqlChecks.PARTITIONS * SqlChecks.MAPS);
    }
  }
}
