// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexEntry;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.pool.Each;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import java.util.List;

/**
 * A committed map output: its manifest, its extents, and who holds them. Removal ends the records
 * at once; their space goes back with the last pin. Thread-safe.
 */
final class CommittedOutput {
  private final MapOutputKey key;
  private final Manifest manifest;
  private final Placement manifestPlace;
  private final long manifestWord;
  private final List<Placement> segments;
  private final SpaceCharge charge;
  private final boolean[] verified;
  private final long blockBytes;
  private int pins;
  private boolean removed;

  CommittedOutput(
      MapOutputKey key,
      Manifest manifest,
      Placement manifestPlace,
      long manifestWord,
      List<Placement> segments,
      SpaceCharge charge) {
    this.key = key;
    this.manifest = manifest;
    this.manifestPlace = manifestPlace;
    this.manifestWord = manifestWord;
    this.segments = List.copyOf(segments);
    this.charge = charge;
    this.verified = new boolean[segments.size()];
    this.blockBytes = manifest.blockBytes();
  }

  MapOutputKey key() {
    return key;
  }

  Manifest manifest() {
    return manifest;
  }

  /** Bytes of its blocks. */
  long blockBytes() {
    return blockBytes;
  }

  /** The extent of a segment; hold a pin. */
  Extent segment(int index) {
    return segments.get(index).extent();
  }

  /** What the index says of it. */
  IndexEntry indexEntry() {
    return new IndexEntry(
        IndexKey.of(key.application(), key.shuffle(), key.mapAttempt()),
        manifest.partitions(),
        manifestPlace.recordLocation(),
        (int) manifest.length(),
        manifestWord);
  }

  /**
   * Checks a segment against its checksum, the first time; hold a pin. Racing threads may both.
   *
   * @throws StoreException CORRUPT if they differ
   */
  void verify(int index) {
    if (!verified[index]) {
      Extent extent = segment(index);
      if (!extent.pool().isIntact(extent, manifest.segment(index).publishWord())) {
        throw new StoreException(
            StoreException.Code.CORRUPT,
            key + ": segment " + index + " in " + extent + " does not match its CRC32C");
      }
      verified[index] = true;
    }
  }

  /** Pins; false if it was removed. */
  synchronized boolean pin() {
    if (removed) {
      return false;
    }
    pins++;
    return true;
  }

  /** Pins once more, by someone who has a pin. */
  synchronized void pinAgain() {
    pins++;
  }

  void unpin() {
    boolean last;
    synchronized (this) {
      pins--;
      last = pins == 0 && removed;
    }
    if (last) {
      release();
    }
  }

  /** Ends the manifest, before its segments: no crash leaves one without them. */
  void end() {
    manifestPlace.extent().retract();
  }

  /** Ends the segments of an output whose manifest was ended. */
  void remove() {
    try {
      Each.of(segments, segment -> segment.extent().retract());
    } finally {
      boolean last;
      synchronized (this) {
        removed = true;
        last = pins == 0;
      }
      if (last) {
        release();
      }
    }
  }

  /** Ends and gives back the manifest alone: the output was never shown, its writer goes on. */
  void withdraw() {
    manifestPlace.extent().retract();
    manifestPlace.extent().discard();
  }

  private void release() {
    try {
      manifestPlace.extent().discard();
    } finally {
      releaseSegments();
    }
  }

  private void releaseSegments() {
    try {
      Each.of(segments, segment -> segment.extent().discard());
    } finally {
      charge.close();
    }
  }
}
