// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The header before each block of lz4-java's block format. A block whose lengths are both 0 is the
 * end mark.
 *
 * <pre>
 *  0               8       9              13              17             21
 * +---------------+-------+---------------+---------------+---------------+
 * | "LZ4Block"    | token | compressed    | original      | check         |
 * |               |       | length, LE    | length, LE    | LE            |
 * +---------------+-------+---------------+---------------+---------------+
 * token: method (0x10 raw, 0x20 lz4) | ceil(log2(block size)) - 10
 * check: XXH32 of the original bytes, low 28 bits
 * </pre>
 */
final class Lz4BlockHeader {
  static final int LENGTH = 21;
  static final int HASH_SEED = 0x9747b28c;

  private static final byte[] MAGIC = "LZ4Block".getBytes(StandardCharsets.US_ASCII);
  private static final int TOKEN = 8;
  private static final int COMPRESSED_LENGTH = 9;
  private static final int ORIGINAL_LENGTH = 13;
  private static final int CHECK = 17;
  private static final int CHECK_MASK = 0xFFFFFFF;
  private static final int RAW = 0x10;
  private static final int LZ4 = 0x20;
  private static final int SMALLEST_SIZE_BITS = 10;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private Lz4BlockHeader() {}

  static void write(
      byte[] target, int at, boolean raw, int blockSize, int compressed, int original, int hash) {
    System.arraycopy(MAGIC, 0, target, at, MAGIC.length);
    target[at + TOKEN] = (byte) ((raw ? RAW : LZ4) | sizeClass(blockSize));
    INT.set(target, at + COMPRESSED_LENGTH, compressed);
    INT.set(target, at + ORIGINAL_LENGTH, original);
    INT.set(target, at + CHECK, hash & CHECK_MASK);
  }

  static void writeEndMark(byte[] target, int at, int blockSize) {
    write(target, at, true, blockSize, 0, 0, 0);
  }

  private static int sizeClass(int blockSize) {
    return Math.max(0, 32 - Integer.numberOfLeadingZeros(blockSize - 1) - SMALLEST_SIZE_BITS);
  }
}
