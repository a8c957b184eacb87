// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

/**
 * The layout of a record: a header, then the payload. It starts on a chunk boundary and fills an
 * extent's chunks but for the rest of the last one. Words are in host byte order.
 *
 * <pre>
 *      0               4               8
 *    0 |             magic             |  "VRBNREC1"
 *    8 |        payload bytes          |
 *   16 |           sequence            |
 *   24 |       application hash        |
 *   32 |         map attempt           |
 *   40 |    shuffle    |     kind      |
 *   48 |  payload CRC  |    chunks     |  CRC32C of the payload; chunks of the extent
 *   56 |     zeros     |  header CRC   |  CRC32C of bytes 0 to 59
 *   64 |          payload ...          |
 * </pre>
 */
public final class RecordLayout {
  /** "VRBNREC1" as a big-endian word. */
  static final long MAGIC = 0x5652424e52454331L;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 64;

  static final int MAGIC_AT = 0;
  static final int LENGTH_AT = 8;
  static final int SEQUENCE_AT = 16;
  static final int APPLICATION_AT = 24;
  static final int MAP_ATTEMPT_AT = 32;
  static final int SHUFFLE_AT = 40;
  static final int KIND_AT = 44;
  static final int PAYLOAD_CRC_AT = 48;
  static final int CHUNKS_AT = 52;
  static final int CRC_AT = 60;

  private RecordLayout() {}

  /** Bytes of the chunks that a record with a payload of that many bytes takes up. */
  public static long spaceFor(long payloadBytes) {
    return chunksFor(payloadBytes) * PoolLayout.CHUNK_BYTES;
  }

  /** Chunks that a record with a payload of that many bytes needs. */
  static long chunksFor(long payloadBytes) {
    return (HEADER_BYTES + payloadBytes + PoolLayout.CHUNK_BYTES - 1) / PoolLayout.CHUNK_BYTES;
  }
}
