// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The layout of the descriptor, which says where the table is now: 64 bytes at the start of a
 * pool's annex. Words are in host byte order.
 *
 * <pre>
 *      0               4               8
 *    0 |      CRC      |  generation   |  CRC32C of bytes 4 to 63; generation counts the tables
 *    8 |       table's location        |
 *   16 |           buckets             |  a power of two; the table has WINDOW - 1 more behind them
 *   24 | bucket bytes  |    window     |
 *   32 |          zeros (32)           |
 * </pre>
 */
public final class DescriptorLayout {
  /** Bytes of the descriptor. */
  public static final int BYTES = 64;

  static final int CHECK_AT = 0;
  static final int GENERATION_AT = 4;
  static final int TABLE_AT = 8;
  static final int BUCKETS_AT = 16;
  static final int BUCKET_BYTES_AT = 24;
  static final int WINDOW_AT = 28;

  private DescriptorLayout() {}

  /** Bytes of a table with that many buckets. */
  public static long tableBytes(long buckets) {
    return (buckets + BucketLayout.WINDOW - 1) * BucketLayout.BYTES;
  }

  static byte[] encode(IndexDescriptor descriptor) {
    byte[] bytes = new byte[BYTES];
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    buffer.putInt(GENERATION_AT, descriptor.generation());
    buffer.putLong(TABLE_AT, descriptor.table());
    buffer.putLong(BUCKETS_AT, descriptor.buckets());
    buffer.putInt(BUCKET_BYTES_AT, BucketLayout.BYTES);
    buffer.putInt(WINDOW_AT, BucketLayout.WINDOW);
    buffer.putInt(CHECK_AT, crc(bytes));
    return bytes;
  }

  /** The descriptor, if these bytes are one and of this layout; empty if torn or foreign. */
  public static Optional<IndexDescriptor> decode(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    long buckets = buffer.getLong(BUCKETS_AT);
    if (buffer.getInt(CHECK_AT) != crc(bytes)
        || buffer.getInt(BUCKET_BYTES_AT) != BucketLayout.BYTES
        || buffer.getInt(WINDOW_AT) != BucketLayout.WINDOW
        || Long.bitCount(buckets) != 1
        || buckets < 0) {
      return Optional.empty();
    }
    return Optional.of(
        new IndexDescriptor(buffer.getInt(GENERATION_AT), buffer.getLong(TABLE_AT), buckets));
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, GENERATION_AT, BYTES - GENERATION_AT);
    return (int) crc.getValue();
  }
}
