// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import dev.verbena.store.pool.PoolOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How to open a store.
 *
 * @param primary the pool to fill first; empty goes straight to the overflow
 * @param overflow where to go on when it is full; empty makes a full pool an error
 * @param verifyReads whether reads check the stored CRC32C; recovery always does
 * @param closeDeadline how long closing waits for pins
 */
public record StoreOptions(
    Optional<PoolOptions> primary,
    Optional<OverflowOptions> overflow,
    boolean verifyReads,
    Duration closeDeadline) {

  /** Checks that there is at least one place to write to. */
  public StoreOptions {
    Objects.requireNonNull(closeDeadline, "closeDeadline");
    if (primary.isEmpty() && overflow.isEmpty()) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, "a store needs a primary pool or an overflow");
    }
  }

  /** One pool, no overflow, no verification of reads, 10 s for pins. */
  public static StoreOptions of(PoolOptions primary) {
    return new StoreOptions(Optional.of(primary), Optional.empty(), false, Duration.ofSeconds(10));
  }

  /** No primary pool: everything goes to files. */
  public static StoreOptions of(OverflowOptions files) {
    return new StoreOptions(Optional.empty(), Optional.of(files), false, Duration.ofSeconds(10));
  }

  /** The same with an overflow. */
  public StoreOptions withOverflow(OverflowOptions files) {
    return new StoreOptions(primary, Optional.of(files), verifyReads, closeDeadline);
  }

  /** The same with or without verification of reads. */
  public StoreOptions withVerifyReads(boolean verify) {
    return new StoreOptions(primary, overflow, verify, closeDeadline);
  }

  /** The same with another patience for pins. */
  public StoreOptions withCloseDeadline(Duration deadline) {
    return new StoreOptions(primary, overflow, verifyReads, deadline);
  }
}
