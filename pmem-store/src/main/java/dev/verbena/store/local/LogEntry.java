// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Placement;
import java.util.Optional;
import java.util.zip.CRC32C;

/** An entry of a log. Thread-safe. */
public final class LogEntry {
  private final UseCount uses;
  private final Placement place;
  private final long ordinal;
  private final long length;
  private final int crc;
  private final SpaceCharge charge;
  private boolean ended;

  /** Takes over the space and its charge. */
  LogEntry(UseCount uses, Placement place, long ordinal, long length, int crc, SpaceCharge charge) {
    this.uses = uses;
    this.place = place;
    this.ordinal = ordinal;
    this.length = length;
    this.crc = crc;
    this.charge = charge;
  }

  /** Where it stands in the log: entries have ascending ordinals, with gaps. */
  public long ordinal() {
    return ordinal;
  }

  /** Bytes of it. */
  public long length() {
    return length;
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
    if (length > Integer.MAX_VALUE - Long.BYTES) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, this + " is too long to be read at once");
    }
    byte[] bytes = new byte[(int) length];
    uses.enter();
    try {
      place.extent().pool().read(place.extent().payloadOffset(), bytes, 0, bytes.length);
    } finally {
      uses.exit();
    }
    CRC32C found = new CRC32C();
    found.update(bytes, 0, bytes.length);
    if ((int) found.getValue() != crc) {
      throw new StoreException(StoreException.Code.CORRUPT, this + " does not match its checksum");
    }
    return Optional.of(bytes);
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
    return "entry " + ordinal + " of a log, " + length + " bytes in " + place.extent();
  }
}
