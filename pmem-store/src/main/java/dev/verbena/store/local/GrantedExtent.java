// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.Pool;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Space for one record that somebody else writes and publishes. It counts as used, and holds the
 * store open, until it is given back or committed. Thread-safe.
 */
public final class GrantedExtent {
  private final LocalBlockStore store;
  private final Placement place;
  private final long sequence;
  private final AtomicBoolean over = new AtomicBoolean();

  /** Takes over a use of the store. */
  GrantedExtent(LocalBlockStore store, Placement place) {
    this.store = store;
    this.place = place;
    this.sequence = pool().newSequence();
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

  /** Where the publish word is within the pool. */
  public long wordOffset() {
    return place.extent().wordOffset();
  }

  /** Bytes that the payload can have. */
  public long payloadCapacity() {
    return place.extent().payloadCapacity();
  }

  /** The sequence that the record's header must have. */
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
   * Ends whatever was published there and gives the space back. Nobody else may be able to write
   * there any more.
   */
  public void giveBack() {
    if (over.compareAndSet(false, true)) {
      try {
        LocalBlockStore.end(place);
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
