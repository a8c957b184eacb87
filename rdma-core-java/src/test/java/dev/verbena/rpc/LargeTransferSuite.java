// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static dev.verbena.rpc.RpcFixture.echo;
import static dev.verbena.rpc.RpcFixture.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A transfer above the longest message of any device. */
@Tag("large")
abstract class LargeTransferSuite extends RpcSuite {
  private static final long LENGTH = (5L << 29) + 4096 + 8;
  private static final long MEMORY_NEEDED = 2 * LENGTH + (2L << 30);
  private static final int STRIDE = 4096;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  LargeTransferSuite(Carrier carrier) {
    super(carrier);
  }

  @Test
  void aBlockOfTwoAndAHalfGibibytesArrivesWhole() throws IOException {
    assumeTrue(availableMemory() >= MEMORY_NEEDED, "too little memory for two such blocks");
    assertThat(LENGTH).isGreaterThan(2 * rpc().clientDevice().attributes().maxMessage());
    RpcConnection connection = rpc().connect(echo());
    MemoryRegion remote = region(rpc().serverDevice(), rpc().serverDomain());
    MemoryRegion local = region(rpc().clientDevice(), rpc().clientDomain());
    stamp(local.memory(), 1);
    BulkBatch batch = new BulkBatch(1);
    batch.write(local, 0, remote.address(), remote.remoteKey(), LENGTH);
    connection.bulk().transfer(batch, in(PATIENCE));
    expectStamps(remote.memory(), 1);
    stamp(remote.memory(), 2);
    batch.clear().read(local, 0, remote.address(), remote.remoteKey(), LENGTH);
    connection.bulk().transfer(batch, in(PATIENCE));
    expectStamps(local.memory(), 2);
  }

  private MemoryRegion region(Device device, ProtectionDomain domain) {
    MappedMemory memory = rpc().own(device.allocate(LENGTH));
    EnumSet<AccessFlag> access =
        EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
    return rpc().own(domain.register(memory, 0, LENGTH, access));
  }

  /** Marks every page at its first word, and the very last word. */
  private static void stamp(MappedMemory memory, long seed) {
    for (long at = 0; at < LENGTH; at += STRIDE) {
      memory.putLong(at, at * 31 + seed);
    }
  }

  private static void expectStamps(MappedMemory memory, long seed) {
    for (long at = 0; at < LENGTH; at += STRIDE) {
      if (memory.getLong(at) != at * 31 + seed) {
        assertThat(memory.getLong(at)).as("word at %d", at).isEqualTo(at * 31 + seed);
      }
    }
  }

  private static long availableMemory() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines
              .filter(line -> line.startsWith("MemAvailable:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .findFirst()
              .orElse(0)
          << 10;
    }
  }
}
