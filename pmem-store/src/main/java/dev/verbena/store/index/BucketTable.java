// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.Pool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One table of buckets in an extent that is never published. Open addressing, each entry within
 * {@link BucketLayout#WINDOW} buckets of the one its key names, so that one READ sees all that can
 * hold it and nothing marks deletions. The caller serialises.
 */
final class BucketTable {
  private final Placement place;
  private final MappedMemory memory;
  private final long start;
  private final long buckets;
  private int changes;

  /** An empty table in an extent that is long enough. */
  BucketTable(Placement place, long buckets) {
    this.place = place;
    this.memory = place.extent().pool().memory();
    this.start = place.extent().payloadOffset();
    this.buckets = buckets;
    clear();
  }

  /** Runs accesses to the table; see {@link Pool#guarded}. */
  <T> T guarded(Supplier<T> access) {
    return place.extent().pool().guarded(access);
  }

  long buckets() {
    return buckets;
  }

  long location() {
    return Location.pack(place.poolNumber(), start);
  }

  /** Puts an entry into a free bucket; false if its window has none. */
  boolean insert(IndexEntry entry) {
    long first = entry.key().bucket(buckets);
    for (long bucket = first; bucket < first + BucketLayout.WINDOW; bucket++) {
      if (memory.getLong(offset(bucket)) == 0) {
        changes++;
        write(memory, offset(bucket), BucketLayout.encode(entry, changes));
        return true;
      }
    }
    return false;
  }

  /** Frees the bucket of a key; false if there is none. */
  boolean remove(IndexKey key) {
    long first = key.bucket(buckets);
    for (long bucket = first; bucket < first + BucketLayout.WINDOW; bucket++) {
      Optional<IndexEntry> entry = read(bucket);
      if (entry.isPresent() && entry.get().key().equals(key)) {
        memory.putLong(offset(bucket), 0); // Ending the records orders it: that is a release.
        return true;
      }
    }
    return false;
  }

  /** Inserts all entries of another table; false if one found its window full. */
  boolean insertAllOf(BucketTable other) {
    long slots = other.buckets + BucketLayout.WINDOW - 1;
    for (long slot = 0; slot < slots; slot++) {
      Optional<IndexEntry> entry = other.read(slot);
      if (entry.isPresent() && !insert(entry.get())) {
        return false;
      }
    }
    return true;
  }

  /** Frees every bucket, so that late readers find nothing, and gives the space back. */
  void discard() {
    clear();
    place.extent().discard();
  }

  /** Everything but the first word, then, after all of that, the first word. */
  static void write(MappedMemory memory, long at, byte[] bytes) {
    memory.put(at + Long.BYTES, bytes, Long.BYTES, bytes.length - Long.BYTES);
    long first = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong(0);
    memory.putLongRelease(at, first);
  }

  private void clear() {
    guarded(
        () -> {
          memory.zero(start, DescriptorLayout.tableBytes(buckets));
          return buckets;
        });
  }

  private Optional<IndexEntry> read(long bucket) {
    byte[] bytes = new byte[BucketLayout.BYTES];
    memory.get(offset(bucket), bytes, 0, bytes.length);
    return BucketLayout.decode(bytes, 0);
  }

  private long offset(long bucket) {
    return start + bucket * BucketLayout.BYTES;
  }
}
