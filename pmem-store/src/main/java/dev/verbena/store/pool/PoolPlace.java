// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;

/** Where a pool lies: a file or a device, which is this process's own until it is closed. */
interface PoolPlace extends AutoCloseable {
  /**
   * A pool's memory and header.
   *
   * @param existed whether it was there; else its header is still to be written
   */
  record Mapped(MappedMemory memory, PoolHeader header, boolean existed) {}

  /**
   * Makes a place this process's own.
   *
   * @throws StoreException POOL_OWNED naming the owner, or IO
   */
  static PoolPlace acquire(PoolOptions options) {
    return options.kind() == PoolKind.DEVDAX
        ? PoolDevice.acquire(options)
        : PoolFile.acquire(options);
  }

  /** Whether a pool is there. */
  boolean isMade();

  /**
   * Checks and maps the pool that is there, or makes one, which is of zeros until its header is
   * written.
   *
   * @param number of the pool in its store, if it is made
   * @throws StoreException POOL_INVALID, INVALID_ARGUMENT or IO
   */
  Mapped map(int number);

  /** Ends ownership; mappings stay. */
  @Override
  void close();
}
