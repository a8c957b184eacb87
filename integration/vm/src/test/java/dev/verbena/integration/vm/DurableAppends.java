// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.testing.Pattern;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * A log of entries that can be told from their number alone, in a store on persistent memory.
 *
 * @param directory in a DAX file system
 * @param seed of lengths and bytes
 */
record DurableAppends(Path directory, long seed) {
  static final String APPLICATION = "power-cuts";
  static final int LOG = 1;

  /** A JVM that has just started on an emulated processor takes seconds for its first handshake. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final int LONGEST = 16 << 10;
  private static final long POOL_BYTES = 64L << 20;
  private static final long MOST_BYTES = 256L << 20;

  /** Pools that are kept, and whose records survive the loss of power. */
  StoreOptions store() {
    return StoreOptions.of(
        new TierOptions(
            PoolKind.FSDAX,
            directory.resolve("power"),
            POOL_BYTES,
            MOST_BYTES,
            DurabilityDomain.POWER,
            false,
            ""));
  }

  /** How the store is served, by the software NIC with its files in memory. */
  static ServeOptions serving() {
    return ServeOptions.of(RpcSecret.of("known to both ends".getBytes(StandardCharsets.UTF_8)))
        .withProvider("soft", Path.of("/dev/shm"))
        .withTimeouts(PATIENCE, PATIENCE);
  }

  /** The entry of a number, counted from 0. */
  byte[] entry(long number) {
    SplittableRandom random = new SplittableRandom(seed + number);
    return new Pattern(random.nextLong()).bytes(0, 1 + random.nextInt(LONGEST));
  }
}
