// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How to open a store.
 *
 * @param tiers pools to fill, the preferred ones first: those in memory, say, then those in files;
 *     at least one
 * @param verifyReads whether reads check the stored CRC32C; recovery always does
 * @param closeDeadline how long closing waits for pins
 * @param applicationQuota most bytes of all pools together that each application may use, whole
 *     chunks counted; {@link #NO_QUOTA} for as much as there is
 */
public record StoreOptions(
    List<TierOptions> tiers, boolean verifyReads, Duration closeDeadline, long applicationQuota) {

  /** An application may use what there is. */
  public static final long NO_QUOTA = Long.MAX_VALUE;

  /** Checks that there is at least one place to write to. */
  public StoreOptions {
    Objects.requireNonNull(closeDeadline, "closeDeadline");
    tiers = List.copyOf(tiers);
    if (tiers.isEmpty()) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, "a store needs at least one tier of pools");
    }
    if (applicationQuota < 1) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "quota of " + applicationQuota + " bytes for an application, expected at least 1");
    }
  }

  /** These tiers, no verification of reads, 10 s for pins, no quota. */
  public static StoreOptions of(TierOptions... tiers) {
    return new StoreOptions(List.of(tiers), false, Duration.ofSeconds(10), NO_QUOTA);
  }

  /** The same with or without verification of reads. */
  public StoreOptions withVerifyReads(boolean verify) {
    return new StoreOptions(tiers, verify, closeDeadline, applicationQuota);
  }

  /** The same with another patience for pins. */
  public StoreOptions withCloseDeadline(Duration deadline) {
    return new StoreOptions(tiers, verifyReads, deadline, applicationQuota);
  }

  /** The same with a quota for each application. */
  public StoreOptions withApplicationQuota(long bytes) {
    return new StoreOptions(tiers, verifyReads, closeDeadline, bytes);
  }
}
