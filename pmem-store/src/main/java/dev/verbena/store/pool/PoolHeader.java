// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The fixed part of a pool's header. Decoding trusts nothing: every value is checked against the
 * others and against the file.
 *
 * @param number of a pool on a device in its store; {@link #NO_NUMBER} of a file
 */
record PoolHeader(long size, long poolId, boolean ephemeral, long madeMillis, int number) {
  /** The name of a file tells its number. */
  static final int NO_NUMBER = 0;

  long chunkCount() {
    return PoolLayout.chunksIn(size);
  }

  long chunksStart() {
    return PoolLayout.chunksStart(chunkCount());
  }

  byte[] encode() {
    byte[] bytes = new byte[PoolLayout.HEADER_BYTES];
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    header.putLong(PoolLayout.MAGIC_AT, PoolLayout.MAGIC);
    header.putInt(PoolLayout.VERSION_AT, PoolLayout.VERSION);
    header.putLong(PoolLayout.SIZE_AT, size);
    header.putLong(PoolLayout.POOL_ID_AT, poolId);
    header.putInt(PoolLayout.CHUNK_BYTES_AT, PoolLayout.CHUNK_BYTES);
    header.putInt(PoolLayout.FLAGS_AT, ephemeral ? PoolLayout.FLAG_EPHEMERAL : 0);
    header.putLong(PoolLayout.CHUNK_COUNT_AT, chunkCount());
    header.putLong(PoolLayout.WORD_TABLE_AT, PoolLayout.TABLE_START);
    header.putLong(PoolLayout.CHUNKS_AT, chunksStart());
    header.putLong(PoolLayout.MADE_AT, madeMillis);
    header.putInt(PoolLayout.NUMBER_AT, number);
    header.putInt(PoolLayout.CRC_AT, PoolLayout.headerCrc(bytes));
    return bytes;
  }

  /**
   * Decodes the first bytes of a file.
   *
   * @param bytes what was read: {@link PoolLayout#HEADER_BYTES}, or fewer from a shorter file
   * @param fileSize bytes of the file
   * @throws StoreException POOL_INVALID naming the path, the value found and the one expected
   */
  static PoolHeader decode(Path path, byte[] bytes, long fileSize) {
    if (bytes.length < PoolLayout.HEADER_BYTES) {
      throw invalid(path, "length", fileSize, "at least " + PoolOptions.MIN_SIZE);
    }
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    long magic = header.getLong(PoolLayout.MAGIC_AT);
    if (magic != PoolLayout.MAGIC) {
      throw invalid(path, "magic", hex(magic), hex(PoolLayout.MAGIC) + " (is it a pool?)");
    }
    int version = header.getInt(PoolLayout.VERSION_AT);
    if (version != PoolLayout.VERSION) {
      throw invalid(path, "version", version, PoolLayout.VERSION);
    }
    int crc = header.getInt(PoolLayout.CRC_AT);
    int computed = PoolLayout.headerCrc(bytes);
    if (crc != computed) {
      throw invalid(path, "header CRC32C", Integer.toHexString(crc), Integer.toHexString(computed));
    }
    long size = header.getLong(PoolLayout.SIZE_AT);
    if (size != fileSize) {
      throw invalid(path, "length", fileSize, size + " (was it truncated?)");
    }
    int chunkBytes = header.getInt(PoolLayout.CHUNK_BYTES_AT);
    if (chunkBytes != PoolLayout.CHUNK_BYTES) {
      throw invalid(path, "chunk size", chunkBytes, PoolLayout.CHUNK_BYTES);
    }
    PoolHeader decoded =
        new PoolHeader(
            size,
            header.getLong(PoolLayout.POOL_ID_AT),
            (header.getInt(PoolLayout.FLAGS_AT) & PoolLayout.FLAG_EPHEMERAL) != 0,
            header.getLong(PoolLayout.MADE_AT),
            header.getInt(PoolLayout.NUMBER_AT));
    check(path, "chunk count", header.getLong(PoolLayout.CHUNK_COUNT_AT), decoded.chunkCount());
    check(path, "word table", header.getLong(PoolLayout.WORD_TABLE_AT), PoolLayout.TABLE_START);
    check(path, "start of chunks", header.getLong(PoolLayout.CHUNKS_AT), decoded.chunksStart());
    if (!isNumber(decoded.number())) {
      throw invalid(path, "number", decoded.number(), "at most " + (Location.MAX_POOLS - 1));
    }
    return decoded;
  }

  /** What these first bytes say of the pool's length, which is checked by decoding them only. */
  static long sizeIn(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong(PoolLayout.SIZE_AT);
  }

  /** Itself, if it was made to be as ephemeral as {@code expected}. */
  PoolHeader requireEphemeral(Path path, boolean expected) {
    if (ephemeral != expected) {
      throw invalid(path, "ephemeral", ephemeral, expected);
    }
    return this;
  }

  /**
   * Whether these first bytes of a file are those of a pool whose making was cut short: no magic
   * yet, and of the rest any words or none.
   */
  static boolean isUnfinished(byte[] bytes) {
    byte[] whole = Arrays.copyOf(bytes, PoolLayout.HEADER_BYTES);
    ByteBuffer header = ByteBuffer.wrap(whole).order(ByteOrder.nativeOrder());
    return header.getLong(PoolLayout.MAGIC_AT) == 0
        && isZeroOr(PoolLayout.VERSION, header.getInt(PoolLayout.VERSION_AT))
        && isZeroOr(PoolLayout.CHUNK_BYTES, header.getInt(PoolLayout.CHUNK_BYTES_AT))
        && isZeroOr(PoolLayout.TABLE_START, header.getLong(PoolLayout.WORD_TABLE_AT))
        && isNumber(header.getInt(PoolLayout.NUMBER_AT))
        && Arrays.equals(
            whole,
            PoolLayout.ZEROS_AT,
            PoolLayout.HEADER_BYTES,
            new byte[PoolLayout.HEADER_BYTES],
            PoolLayout.ZEROS_AT,
            PoolLayout.HEADER_BYTES);
  }

  private static boolean isNumber(int found) {
    return found >= 0 && found < Location.MAX_POOLS;
  }

  private static boolean isZeroOr(long expected, long found) {
    return found == 0 || found == expected;
  }

  private static void check(Path path, String what, long found, long expected) {
    if (found != expected) {
      throw invalid(path, what, found, expected);
    }
  }

  private static StoreException invalid(Path path, String what, Object found, Object expected) {
    return new StoreException(
        StoreException.Code.POOL_INVALID,
        "pool " + path + ": " + what + " is " + found + ", expected " + expected);
  }

  private static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }
}
