// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Pool;
import dev.verbena.store.pool.RecordHeader;
import java.util.Objects;
import java.util.zip.CRC32C;

/** The bytes of an entry of a log, in their pool. Thread-safe. */
public final class EntryBytes {
  private final UseCount uses;
  private final Pool pool;
  private final long offset;
  private final long length;
  private final int crc;

  /**
   * Names the bytes.
   *
   * @param offset of the first one in the pool
   */
  EntryBytes(UseCount uses, Pool pool, long offset, RecordHeader header) {
    this(uses, pool, offset, header.payloadBytes(), header.payloadCrc());
  }

  EntryBytes(UseCount uses, Pool pool, long offset, long length, int crc) {
    this.uses = uses;
    this.pool = pool;
    this.offset = offset;
    this.length = length;
    this.crc = crc;
  }

  /** How many there are. */
  public long length() {
    return length;
  }

  /** What they survive. */
  public DurabilityDomain domain() {
    return pool.domain();
  }

  /**
   * Copies some of them, unchecked.
   *
   * @param position of the first one within the entry
   * @throws StoreException POOL_INVALID, CLOSED
   */
  public void read(long position, byte[] target, int from, int count) {
    Objects.checkFromIndexSize(position, count, length);
    uses.enter();
    try {
      pool.read(offset + position, target, from, count);
    } finally {
      uses.exit();
    }
  }

  /**
   * A copy of all of them, which match their checksum.
   *
   * @throws StoreException CORRUPT if they do not, POOL_INVALID, CLOSED; INVALID_ARGUMENT if they
   *     are too many for an array
   */
  public byte[] read() {
    if (length > Integer.MAX_VALUE - Long.BYTES) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, this + " are too long to be read at once");
    }
    byte[] bytes = new byte[(int) length];
    read(0, bytes, 0, bytes.length);
    CRC32C found = new CRC32C();
    found.update(bytes, 0, bytes.length);
    if ((int) found.getValue() != crc) {
      throw new StoreException(StoreException.Code.CORRUPT, this + " do not match their checksum");
    }
    return bytes;
  }

  @Override
  public String toString() {
    return length + " bytes of a log's entry at " + offset + " in " + pool.path();
  }
}
