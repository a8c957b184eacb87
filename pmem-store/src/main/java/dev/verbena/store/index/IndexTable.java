// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.NumberedPool;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.PoolSet;

/**
 * The index's one writer. A table that is too full is replaced by one of twice the size: built
 * aside, then the descriptor is changed, then the old one's buckets are freed and its space goes
 * back; a reader that still holds the old descriptor finds nothing, and reads the descriptor again.
 *
 * <p>Volatile: recovery drops the tables, and the owner builds the index anew from its manifests.
 * Thread-safe.
 */
public final class IndexTable {
  private static final long FIRST_BUCKETS = 64;

  private final PoolSet pools;
  private final NumberedPool home;
  private BucketTable table;
  private long entries;
  private int generation;

  /** Makes an empty index, described in the annex of the first of {@code pools}. */
  public IndexTable(PoolSet pools) {
    this.pools = pools;
    this.home = pools.pools().get(0);
    this.table = BucketTable.reserve(pools, FIRST_BUCKETS);
    publishDescriptor();
  }

  /** Location of the descriptor, for readers. */
  public long descriptorLocation() {
    return Location.pack(home.number(), PoolLayout.ANNEX_AT);
  }

  /**
   * Adds an entry; its key must not be there.
   *
   * @throws dev.verbena.store.StoreException POOL_FULL if the table has to grow and can't
   */
  public synchronized void put(IndexEntry entry) {
    while (2 * (entries + 1) > table.buckets() || !table.insert(entry)) {
      grow();
    }
    entries++;
  }

  /** Removes the entry of a key; false if there is none. */
  public synchronized boolean remove(IndexKey key) {
    boolean removed = table.remove(key);
    if (removed) {
      entries--;
    }
    return removed;
  }

  /** Number of entries. */
  public synchronized long size() {
    return entries;
  }

  private void grow() {
    BucketTable old = table;
    for (long buckets = 2 * old.buckets(); ; buckets *= 2) {
      BucketTable next = BucketTable.reserve(pools, buckets);
      if (next.insertAllOf(old)) {
        table = next;
        break;
      }
      next.discard();
    }
    publishDescriptor();
    old.discard();
  }

  private void publishDescriptor() {
    generation++;
    IndexDescriptor descriptor = new IndexDescriptor(generation, table.location(), table.buckets());
    MappedMemory annex = home.pool().memory();
    BucketTable.write(annex, PoolLayout.ANNEX_AT, DescriptorLayout.encode(descriptor));
  }
}
