// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import dev.verbena.memory.DurabilityDomain;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Pools of one kind that a store fills one after the other, each made when it is needed.
 *
 * @param kind what backs them
 * @param prefix what their paths begin with: {@code PREFIX-0.pool}, {@code PREFIX-1.pool} and so
 *     on; the directory is created if missing. Of kind DEVDAX the device, on which one pool lies
 * @param fileSize bytes of each, more where a single record needs it
 * @param maxBytes bytes of all of them together
 * @param domain what published records must survive
 * @param ephemeral whether they end with the store: unlinked on close, swept after a death
 * @param limit what people set to have more bytes than {@code maxBytes}, for errors; may be empty
 */
public record TierOptions(
    PoolKind kind,
    Path prefix,
    long fileSize,
    long maxBytes,
    DurabilityDomain domain,
    boolean ephemeral,
    String limit) {
  /** Smallest pool: 64 KiB. */
  public static final long MIN_FILE_SIZE = 64 << 10;

  /** Checks that the sizes make sense and nothing is missing. */
  public TierOptions {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(domain, "domain");
    Objects.requireNonNull(limit, "limit");
    kind.requireKept(prefix, ephemeral);
    if (fileSize < MIN_FILE_SIZE || maxBytes < fileSize) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "pools "
              + prefix
              + ": files of "
              + fileSize
              + " bytes, "
              + maxBytes
              + " in all, expected at least "
              + MIN_FILE_SIZE
              + " and room for one");
    }
  }

  /** Ephemeral pools in memory, domain PROCESS. */
  public static TierOptions memory(Path prefix, long fileSize, long maxBytes) {
    return new TierOptions(
        PoolKind.MEMORY, prefix, fileSize, maxBytes, DurabilityDomain.PROCESS, true, "");
  }

  /** Ephemeral pools in files, domain PROCESS. */
  public static TierOptions file(Path prefix, long fileSize, long maxBytes) {
    return new TierOptions(
        PoolKind.FILE, prefix, fileSize, maxBytes, DurabilityDomain.PROCESS, true, "");
  }

  /** A pool of {@code size} bytes on a device, domain POWER. */
  public static TierOptions device(Path device, long size) {
    return new TierOptions(PoolKind.DEVDAX, device, size, size, DurabilityDomain.POWER, false, "");
  }

  /** The same with another domain. */
  public TierOptions withDomain(DurabilityDomain other) {
    return new TierOptions(kind, prefix, fileSize, maxBytes, other, ephemeral, limit);
  }

  /** The same, bounded by what people call {@code key}. */
  public TierOptions boundBy(String key) {
    return new TierOptions(kind, prefix, fileSize, maxBytes, domain, ephemeral, key);
  }

  /** The same, kept when the store ends, and recovered by the next. */
  public TierOptions kept() {
    return new TierOptions(kind, prefix, fileSize, maxBytes, domain, false, limit);
  }
}
