// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.manifest.ManifestLayout;
import dev.verbena.store.manifest.PartitionStarts;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import java.util.zip.CRC32C;

/**
 * A segment under way: shares of ascending partitions, copied into an extent. The checksum is taken
 * from the source, never from the mapping. One thread.
 */
final class SegmentWriter implements OutputSegment {
  private final Placement place;
  private final PartitionStarts starts;
  private final SpaceCharge charge;
  private final CRC32C crc = new CRC32C();
  private long length;
  private long charged;

  /** Takes over a charge for a record of one byte. */
  SegmentWriter(Placement place, int firstPartition, SpaceCharge charge) {
    this.place = place;
    this.starts = new PartitionStarts(firstPartition);
    this.charge = charge;
    this.charged = RecordLayout.spaceFor(1);
  }

  @Override
  public long room() {
    return place.extent().payloadCapacity() - length;
  }

  @Override
  public int put(int partition, byte[] source, int offset, int count) {
    int taken = (int) Math.min(count, room());
    charge(RecordLayout.spaceFor(length + taken));
    starts.cover(partition, length);
    Extent extent = place.extent();
    extent.pool().write(extent.payloadOffset() + length, source, offset, taken);
    crc.update(source, offset, taken);
    length += taken;
    return taken;
  }

  private void charge(long needed) {
    if (needed > charged) {
      charge.take(needed - charged);
      charged = needed;
    }
  }

  Placement place() {
    return place;
  }

  /** Publishes the record. */
  Segment seal(RecordId id) {
    long word = place.extent().pool().publish(place.extent(), id, length, (int) crc.getValue());
    return new Segment(
        place.recordLocation(), place.wordLocation(), word, length, starts.first(), starts.count());
  }

  /** Where each covered partition starts, and the end. */
  long[] offsets() {
    return starts.offsets(length);
  }

  /** The record id of a segment. */
  static RecordId idOf(long applicationHash, int shuffle, long mapAttempt) {
    return new RecordId(ManifestLayout.SEGMENT_RECORD_KIND, applicationHash, shuffle, mapAttempt);
  }
}
