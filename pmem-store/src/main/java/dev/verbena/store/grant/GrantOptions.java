// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.StoreException;
import java.time.Duration;

/**
 * How a store grants space.
 *
 * @param lease how long a grant lasts unless it is renewed: 100 ms to a day
 * @param mostBytes bytes of payload, at most, in one grant
 */
public record GrantOptions(Duration lease, long mostBytes) {
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(1);

  /** Checks the ranges. */
  public GrantOptions {
    if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0 || mostBytes < 1) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "grants of "
              + mostBytes
              + " bytes for "
              + lease
              + ", expected at least 1 for "
              + SHORTEST
              + " to "
              + LONGEST);
    }
  }

  /** A lease of 30 s, grants of up to 64 MiB. */
  public static GrantOptions defaults() {
    return new GrantOptions(Duration.ofSeconds(30), 64L << 20);
  }

  /** The same with another lease. */
  public GrantOptions withLease(Duration other) {
    return new GrantOptions(other, mostBytes);
  }
}
