// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.Pool;
import dev.verbena.store.pool.PoolLayout;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Space for one record, or a run of them, that somebody else writes and publishes. It counts as
 * used, and holds the store open, until it is given back or committed. Thread-safe.
 */
public final class GrantedExtent {
  private final LocalBlockStore store;
  private final Placement place;
  private final Kind kind;
  private final int records;
  private final long sequence;
  private final Runnable end;
  private final AtomicBoolean over = new AtomicBoolean();

  /** What may be published there. */
  enum Kind {
    /** A segment of a map output. */
    SEGMENT,
    /** Entries of a log, one behind the other, each from a new chunk on. */
    RUN
  }

  /**
   * Takes over a use of the store.
   *
   * @param records the most that can be published there
   * @param sequence of the first record
   * @param end ends what was published there and gives the space back
   */
  GrantedExtent(
      LocalBlockStore store, Placement place, Kind kind, int records, long sequence, Runnable end) {
    this.store = store;
    this.place = place;
    this.kind = kind;
    this.records = records;
    this.sequence = sequence;
    this.end = end;
  }

  /** The number of its pool. */
  public int poolNumber() {
    return place.poolNumber();
  }

  /** Its pool. */
  public Pool pool() {
    return place.extent().pool();
  }

  /** First byte of the record within the pool. */
  public long offset() {
    return place.extent().offset();
  }

  /** Where the publish word, or the first of them, is within the pool. */
  public long wordOffset() {
    return place.extent().wordOffset();
  }

  /** Bytes of the publish words. */
  public long wordBytes() {
    return (long) records * PoolLayout.WORD_BYTES;
  }

  /** Whether it is for entries of a log, so that no map output can have it. */
  public boolean isRun() {
    return kind == Kind.RUN;
  }

  /** Bytes that the payload can have. */
  public long payloadCapacity() {
    return place.extent().payloadCapacity();
  }

  /** The sequence that the header of the record, or of the first one, must have. */
  public long sequence() {
    return sequence;
  }

  Placement place() {
    return place;
  }

  Extent extent() {
    return place.extent();
  }

  /** It belongs to an output now, or to nobody. */
  void letGo() {
    if (over.compareAndSet(false, true)) {
      store.uses().exit();
    }
  }

  /**
   * Ends it: a record that was published is taken back, records of a run are kept. Nobody else may
   * be able to write there any more.
   */
  public void giveBack() {
    if (over.compareAndSet(false, true)) {
      try {
        end.run();
      } finally {
        store.uses().exit();
      }
    }
  }

  @Override
  public String toString() {
    return "granted " + place.extent();
  }
}
