// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.StoreException;
import java.time.Duration;
import java.util.Objects;

/**
 * How a store grants space.
 *
 * @param lease how long a grant lasts unless it is renewed: 100 ms to a day
 * @param mostBytes bytes of payload, at most, in one grant
 * @param readAfterWrite whether on this machine a READ makes the WRITEs before it durable in
 *     persistent memory, since devices pass the caches by (DDIO off) or the caches outlast the
 *     power (eADR); nobody can find out, so it has to be said
 * @param application the only one that may write; empty if each may that knows the secret
 */
public record GrantOptions(
    Duration lease, long mostBytes, boolean readAfterWrite, String application) {
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(1);

  /** Checks the ranges. */
  public GrantOptions {
    Objects.requireNonNull(application, "application");
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

  /** A lease of 30 s, grants of up to 64 MiB, nothing said about READs. */
  public static GrantOptions defaults() {
    return new GrantOptions(Duration.ofSeconds(30), 64L << 20, false, "");
  }

  /** The same with another lease. */
  public GrantOptions withLease(Duration other) {
    return new GrantOptions(other, mostBytes, readAfterWrite, application);
  }

  /** The same where READs make WRITEs durable, or not. */
  public GrantOptions withReadAfterWrite(boolean holds) {
    return new GrantOptions(lease, mostBytes, holds, application);
  }

  /** The same for one application only. */
  public GrantOptions withApplication(String only) {
    return new GrantOptions(lease, mostBytes, readAfterWrite, only);
  }
}
