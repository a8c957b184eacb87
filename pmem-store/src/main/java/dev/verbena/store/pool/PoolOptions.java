// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.nio.file.Path;
import java.util.Objects;

/**
 * How to make or open a pool.
 *
 * @param kind what backs it
 * @param path its device, {@code /dev/daxX.Y}, or else its file, whose name ends with {@link
 *     #FILE_SUFFIX}; the lock is a file beside it, with {@code .lock} appended
 * @param size bytes of the whole file, at least {@link #MIN_SIZE}; of a device a multiple of its
 *     alignment
 * @param domain what published records must survive; above the kind's ceiling is an error
 * @param ephemeral whether the pool ends with its owner: unlinked on close, swept after a death; no
 *     device is
 */
public record PoolOptions(
    PoolKind kind, Path path, long size, DurabilityDomain domain, boolean ephemeral) {
  /** Smallest pool. */
  public static final long MIN_SIZE = TierOptions.MIN_FILE_SIZE;

  /** Largest pool: 4 TiB. */
  public static final long MAX_SIZE = 4L << 40;

  /** What the name of a pool's file ends with: leftovers are found by it. */
  public static final String FILE_SUFFIX = ".pool";

  /** Checks size and name. */
  public PoolOptions {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(domain, "domain");
    if (size < MIN_SIZE || size > MAX_SIZE) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "pool " + path + ": size is " + size + ", expected " + MIN_SIZE + " to " + MAX_SIZE);
    }
    kind.requireKept(path, ephemeral);
    if (kind != PoolKind.DEVDAX && !path.toString().endsWith(FILE_SUFFIX)) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "pool " + path + ": expected a name that ends with " + FILE_SUFFIX);
    }
  }

  /** An ephemeral memory pool, domain PROCESS. */
  public static PoolOptions memory(Path path, long size) {
    return new PoolOptions(PoolKind.MEMORY, path, size, DurabilityDomain.PROCESS, true);
  }

  /** An ephemeral file pool, domain PROCESS. */
  public static PoolOptions file(Path path, long size) {
    return new PoolOptions(PoolKind.FILE, path, size, DurabilityDomain.PROCESS, true);
  }

  /** A pool on a device, domain POWER. */
  public static PoolOptions device(Path path, long size) {
    return new PoolOptions(PoolKind.DEVDAX, path, size, DurabilityDomain.POWER, false);
  }

  /** The same with another domain. */
  public PoolOptions withDomain(DurabilityDomain other) {
    return new PoolOptions(kind, path, size, other, ephemeral);
  }

  /** The same, kept when its owner ends, and recovered by the next. */
  public PoolOptions kept() {
    return new PoolOptions(kind, path, size, domain, false);
  }
}
