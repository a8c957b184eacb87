// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.manifest.ManifestLayout;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.RecordId;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A segment under way: shares of ascending partitions, copied into an extent. The checksum is taken
 * from the source, never from the mapping. One thread.
 */
final class SegmentWriter {
  private final Placement place;
  private final int first;
  private final CRC32C crc = new CRC32C();
  private long length;

  /** Start of each partition from {@code first} on; {@code covered} of them are in use. */
  private long[] starts = new long[16];

  private int covered = 1;

  SegmentWriter(Placement place, int firstPartition) {
    this.place = place;
    this.first = firstPartition;
  }

  /** Bytes that still fit. */
  long room() {
    return place.extent().payloadCapacity() - length;
  }

  /** Appends what fits and returns how much that was; partitions come in ascending order. */
  int put(int partition, byte[] source, int offset, int count) {
    int taken = (int) Math.min(count, room());
    cover(partition);
    Extent extent = place.extent();
    extent.pool().write(extent.payloadOffset() + length, source, offset, taken);
    crc.update(source, offset, taken);
    length += taken;
    return taken;
  }

  private void cover(int partition) {
    int needed = partition - first + 1;
    if (needed > starts.length) {
      starts = Arrays.copyOf(starts, Math.max(needed, 2 * starts.length));
    }
    while (covered < needed) {
      starts[covered] = length;
      covered++;
    }
  }

  Placement place() {
    return place;
  }

  /** Publishes the record. */
  Segment seal(RecordId id) {
    long word = place.extent().pool().publish(place.extent(), id, length, (int) crc.getValue());
    return new Segment(place.recordLocation(), place.wordLocation(), word, length, first, covered);
  }

  /** Where each covered partition starts, and the end. */
  long[] offsets() {
    long[] offsets = Arrays.copyOf(starts, covered + 1);
    offsets[covered] = length;
    return offsets;
  }

  /** The record id of a segment. */
  static RecordId idOf(long applicationHash, int shuffle, long mapAttempt) {
    return new RecordId(ManifestLayout.SEGMENT_RECORD_KIND, applicationHash, shuffle, mapAttempt);
  }
}
