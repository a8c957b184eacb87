// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The layout of a pool file, or of the device that a pool lies on. Words are in host byte order; a
 * file from a host of the other order fails on its magic.
 *
 * <pre>
 *        0               4               8
 *      0 |             magic             |  "VRBNPOOL"
 *      8 |    version    |  header CRC   |  CRC32C of bytes 0 to 127, itself taken as 0
 *     16 |         bytes of the file     |
 *     24 |            pool id            |  random
 *     32 |  chunk bytes  |     flags     |  bit 0: ephemeral
 *     40 |         chunk count           |
 *     48 |    start of the word table    |
 *     56 |      start of the chunks      |
 *     64 |     made at, epoch millis     |
 *     72 |    number     |  zeros (52)   |  number in its store, of a pool on a device; else 0
 *    128 |        sequence mark          |  sequences below it may have been used; not in the CRC
 *    136 |            zeros              |
 *   1024 |     annex (512), volatile     |  the owner's; means nothing after it ended
 *   4096 |          word table           |  one publish word for each chunk
 *        |            chunks             |  on a chunk boundary
 * </pre>
 *
 * The magic is written last, once the rest is durable: what is without it was never a pool.
 *
 * <p>A publish word stands at the number of an extent's first chunk: sequence (low 32 bits) in its
 * high half, CRC32C of the record header in its low half. Zero says that no record starts there.
 */
public final class PoolLayout {
  /** "VRBNPOOL" as a big-endian word. */
  static final long MAGIC = 0x5652424e504f4f4cL;

  static final int VERSION = 1;
  static final int HEADER_BYTES = 128;
  static final int MAGIC_AT = 0;
  static final int VERSION_AT = 8;
  static final int CRC_AT = 12;
  static final int SIZE_AT = 16;
  static final int POOL_ID_AT = 24;
  static final int CHUNK_BYTES_AT = 32;
  static final int FLAGS_AT = 36;
  static final int CHUNK_COUNT_AT = 40;
  static final int WORD_TABLE_AT = 48;
  static final int CHUNKS_AT = 56;
  static final int MADE_AT = 64;
  static final int NUMBER_AT = 72;
  static final int ZEROS_AT = 76;
  static final int SEQUENCE_MARK_AT = 128;

  static final int FLAG_EPHEMERAL = 1;

  /** First byte of the annex. */
  public static final long ANNEX_AT = 1024;

  /** Bytes of the annex. */
  public static final int ANNEX_BYTES = 512;

  /** First byte of the word table. */
  static final long TABLE_START = 4096;

  /** Bytes of a publish word. */
  public static final int WORD_BYTES = Long.BYTES;

  /** Bytes of a chunk: 4 KiB. */
  public static final int CHUNK_BYTES = 4096;

  private PoolLayout() {}

  /** The most chunks that fit, with their words, into a file of {@code size} bytes. */
  static long chunksIn(long size) {
    long left = size - TABLE_START;
    long chunks = left / (CHUNK_BYTES + WORD_BYTES);
    while (chunks > 0 && chunksStart(chunks) + chunks * CHUNK_BYTES > size) {
      chunks--;
    }
    return chunks;
  }

  /** Where the chunks start behind a table of {@code chunks} words. */
  static long chunksStart(long chunks) {
    long end = TABLE_START + chunks * WORD_BYTES;
    return (end + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
  }

  /** Bytes of the smallest file with that many chunks. */
  static long sizeFor(long chunks) {
    return chunksStart(chunks) + chunks * CHUNK_BYTES;
  }

  /** The publish word of a record. */
  static long publishWord(long sequence, int headerCrc) {
    return sequence << Integer.SIZE | Integer.toUnsignedLong(headerCrc);
  }

  /** CRC32C of a header with its CRC field taken as 0. */
  static int headerCrc(byte[] header) {
    byte[] copy = header.clone();
    ByteBuffer.wrap(copy).order(ByteOrder.nativeOrder()).putInt(CRC_AT, 0);
    CRC32C crc = new CRC32C();
    crc.update(copy, 0, HEADER_BYTES);
    return (int) crc.getValue();
  }
}
