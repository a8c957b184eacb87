// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.NumberedPool;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.PoolSet;

/**
 * The index's one writer. A table that is too full is replaced by one of twice the size, one that
 * is nearly empty by one of half: built aside, then the descriptor is changed, then the old one's
 * buckets are freed and its space goes back; a reader that still holds the old descriptor finds
 * nothing, and reads the descriptor again.
 *
 * <p>Volatile: recovery drops the tables, and the owner builds the index anew from its manifests.
 * Thread-safe.
 */
public final class IndexTable {
  private static final long FIRST_BUCKETS = 64;

  /** A table shrinks when it has more than this many buckets for each entry. */
  private static final long SPARSE = 8;

  private final PoolSet pools;
  private final NumberedPool home;
  private BucketTable table;
  private long entries;
  private int generation;

  /** Makes an empty index, described in the annex of the first of {@code pools}. */
  public IndexTable(PoolSet pools) {
    this.pools = pools;
    this.home = pools.pools().get(0);
    long bytes = DescriptorLayout.tableBytes(FIRST_BUCKETS);
    this.table = new BucketTable(pools.reserve(bytes, bytes), FIRST_BUCKETS);
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
    table.guarded(
        () -> {
          while (2 * (entries + 1) > table.buckets() || !table.insert(entry)) {
            grow();
          }
          entries++;
          return entries;
        });
  }

  /** Removes the entry of a key; false if there is none. */
  public synchronized boolean remove(IndexKey key) {
    return table.guarded(
        () -> {
          boolean removed = table.remove(key);
          if (removed) {
            entries--;
            shrinkIfSparse();
          }
          return removed;
        });
  }

  /** Number of entries. */
  public synchronized long size() {
    return entries;
  }

  private void grow() {
    for (long buckets = 2 * table.buckets(); ; buckets *= 2) {
      long bytes = DescriptorLayout.tableBytes(buckets);
      BucketTable next = new BucketTable(pools.reserve(bytes, bytes), buckets);
      if (next.guarded(() -> next.insertAllOf(table))) {
        moveTo(next);
        return;
      }
      next.discard();
    }
  }

  /** Halves a table of which an eighth is in use, if the smaller one finds room. */
  private void shrinkIfSparse() {
    long buckets = table.buckets() / 2;
    if (buckets < FIRST_BUCKETS || SPARSE * entries >= table.buckets()) {
      return;
    }
    pools
        .reserveExisting(DescriptorLayout.tableBytes(buckets))
        .ifPresent(
            place -> {
              BucketTable next = new BucketTable(place, buckets);
              if (next.guarded(() -> next.insertAllOf(table))) {
                moveTo(next);
              } else {
                next.discard();
              }
            });
  }

  private void moveTo(BucketTable next) {
    BucketTable old = table;
    table = next;
    publishDescriptor();
    old.discard();
  }

  private void publishDescriptor() {
    generation++;
    IndexDescriptor descriptor = new IndexDescriptor(generation, table.location(), table.buckets());
    home.pool()
        .guarded(
            () -> {
              BucketTable.write(
                  home.pool().memory(), PoolLayout.ANNEX_AT, DescriptorLayout.encode(descriptor));
              return descriptor;
            });
  }
}
