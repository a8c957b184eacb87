// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.memory.DaxDevice;
import dev.verbena.memory.MappedMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One job whose blocks lie on DAX devices and cross the kernel's soft-RoCE, for the guest of the VM
 * lane: both executors on link rxe0, which talks to itself, each with a device of its own.
 */
final class ShuffleOverSoftRoce {
  private static final String CARRIER = "rxe";
  private static final double SHARE = 0.99;

  /** Short-lived JVMs on slow processors, which do without the verification of Spark's classes. */
  private static final String OPTIONS =
      "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-BytecodeVerificationRemote";

  private static final List<Path> DEVICES = List.of(Path.of("/dev/dax0.0"), Path.of("/dev/dax1.0"));
  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry(Cluster.KEYS + "provider", "rdmacore:rxe0"),
          Map.entry(Cluster.KEYS + "bindAddress", "10.77.0.1"),
          Map.entry(Cluster.KEYS + "path", "read"),
          Map.entry(Cluster.KEYS + "pool.kind", "devdax"),
          Map.entry(Cluster.KEYS + "pool.directory", "/dev/dax{executor}.0"),
          Map.entry(Cluster.KEYS + "durability", "power"),
          Map.entry(Cluster.KEYS + "overflow.size", "0"),
          Map.entry(Cluster.KEYS + "required", "true"),
          // The guest's processors are slow, and not always there.
          Map.entry(Cluster.KEYS + "timeout.connect", "90s"),
          Map.entry(Cluster.KEYS + "timeout.fetch", "90s"),
          Map.entry("spark.network.timeout", "600s"),
          Map.entry("spark.executor.heartbeatInterval", "60s"));

  /** Of the network interface, less what soft-RoCE keeps for headers, rounded down to an MTU. */
  private static final int MTU = 1024;

  /** Requests, acknowledgements and last packets: of a block, of a lookup, of a connection. */
  private static final int PACKETS_A_BLOCK = 20;

  private static final int OTHER_PACKETS = 2000;

  private static Cluster cluster;
  private static CheckResult result;
  private static long received;

  @BeforeAll
  @Timeout(1500)
  static void runTheJob() {
    cluster = new Cluster("soft-roce", Path.of("/tmp/work"));
    Path found = cluster.results("soft-roce");
    SparkApplication application =
        cluster
            .verbena("soft-roce", SoftRoceApplication.class)
            .environment("JDK_JAVA_OPTIONS", OPTIONS)
            .conf(SETTINGS)
            .arguments(found.toString());
    long before = receivedPackets();
    cluster.complete(application);
    received = receivedPackets() - before;
    result = CheckResult.read(found, SoftRoceApplication.SHUFFLE);
    System.out.println("Spark over soft-RoCE: " + result.traffic() + ", " + received + " packets");
  }

  @AfterAll
  static void removeHome() {
    cluster.close();
  }

  @Test
  void theResultIsWhatPlainJavaFinds() {
    assertThat(result.rows())
        .containsExactlyElementsOf(PairedMaps.expected(SoftRoceApplication.PAYLOAD));
  }

  @Test
  void blocksOfTheOtherExecutorCameOverSoftRoceAndNothingFellBack() {
    assertThat(result.traffic().fallbacks()).isZero();
    assertThat(result.traffic().foreignBytes()).isPositive();
    assertThat(result.traffic().share(CARRIER)).isGreaterThanOrEqualTo(SHARE);
  }

  @Test
  void theKernelCountedThePacketsOfTheirBytesAndFewMore() {
    long bytes = result.traffic().count("bytes." + CARRIER);
    long blocks = result.traffic().count("blocks." + CARRIER);
    assertThat(received)
        .isBetween(bytes / MTU, bytes / MTU + blocks * PACKETS_A_BLOCK + OTHER_PACKETS);
  }

  @Test
  void theBlocksLieOnTheDevices() throws IOException {
    for (Path path : DEVICES) {
      try (DaxDevice device = DaxDevice.tryOpen(path).orElseThrow();
          MappedMemory memory = device.map(device.alignment())) {
        byte[] first = new byte[Long.BYTES];
        memory.get(0, first, 0, first.length);
        assertThat(first)
            .as("the pool's first bytes on %s", path)
            .isNotEqualTo(new byte[Long.BYTES]);
      }
    }
  }

  private static long receivedPackets() {
    Path counter = Path.of("/sys/class/infiniband/rxe0/ports/1/hw_counters/rcvd_pkts");
    try {
      return Long.parseLong(Files.readString(counter).strip());
    } catch (IOException e) {
      throw new UncheckedIOException("no counter " + counter, e);
    }
  }
}
