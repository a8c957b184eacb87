// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import java.util.Optional;

/** An entry of a log. Thread-safe. */
public final class LogEntry {
  private final Placement place;
  private final long ordinal;
  private final EntryBytes bytes;
  private final SpaceCharge charge;
  private boolean ended;

  /** Takes over the space and its charge. */
  LogEntry(UseCount uses, Placement place, long ordinal, long length, int crc, SpaceCharge charge) {
    this.place = place;
    this.ordinal = ordinal;
    Extent extent = place.extent();
    this.bytes = new EntryBytes(uses, extent.pool(), extent.payloadOffset(), length, crc);
    this.charge = charge;
  }

  /** Where it stands in the log: entries have ascending ordinals, with gaps. */
  public long ordinal() {
    return ordinal;
  }

  /** Bytes of it. */
  public long length() {
    return bytes.length();
  }

  /**
   * A copy of its bytes; empty if it was removed.
   *
   * @throws StoreException CORRUPT, POOL_INVALID, CLOSED; INVALID_ARGUMENT if it is too long for an
   *     array
   */
  public synchronized Optional<byte[]> read() {
    if (ended) {
      return Optional.empty();
    }
    return Optional.of(bytes.read());
  }

  /** Ends it and gives its space back. */
  synchronized void end() {
    if (!ended) {
      ended = true;
      LocalBlockStore.end(place);
      charge.close();
    }
  }

  @Override
  public String toString() {
    return "entry " + ordinal + " of a log, " + length() + " bytes in " + place.extent();
  }
}
