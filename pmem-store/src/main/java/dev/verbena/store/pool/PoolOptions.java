// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.memory.DurabilityDomain;
import java.nio.file.Path;
import java.util.Objects;

/**
 * How to make or open a pool.
 *
 * @param kind what backs it
 * @param path its file; the lock is a file beside it, with {@code .lock} appended
 * @param size bytes of the whole file, at least {@link #MIN_SIZE}
 * @param domain what published records must survive; above the kind's ceiling is an error
 * @param ephemeral whether the pool ends with its owner: unlinked on close, swept after a death
 */
public record PoolOptions(
    PoolKind kind, Path path, long size, DurabilityDomain domain, boolean ephemeral) {
  /** Smallest pool: 64 KiB. */
  public static final long MIN_SIZE = 64 << 10;

  /** Checks that nothing is missing. */
  public PoolOptions {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(domain, "domain");
  }

  /** An ephemeral memory pool, domain PROCESS. */
  public static PoolOptions memory(Path path, long size) {
    return new PoolOptions(PoolKind.MEMORY, path, size, DurabilityDomain.PROCESS, true);
  }

  /** An ephemeral file pool, domain PROCESS. */
  public static PoolOptions file(Path path, long size) {
    return new PoolOptions(PoolKind.FILE, path, size, DurabilityDomain.PROCESS, true);
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
