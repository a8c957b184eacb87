// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What stands before the passive side's private data, which has room where the request's has none:
 * the MTU that both ends use, since each knows its own port only. Big-endian.
 *
 * <pre>
 *   0    magic:32, "VRBN"
 *   4    version:8, 1
 *   5    MTU:8                     enum ibv_mtu
 *   6    bytes of private data:16
 *   8    private data
 * </pre>
 */
final class ReplyHeader {
  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = 4;
  static final int MTU_OFFSET = 5;
  static final int LENGTH_OFFSET = 6;
  static final int SIZE = 8;

  private static final int MAGIC = 0x5652_424e;
  private static final byte VERSION = 1;

  // enum ibv_mtu: 256 and 4096 bytes
  private static final int LEAST_MTU = 1;
  private static final int MOST_MTU = 5;

  private ReplyHeader() {}

  static byte[] encode(int mtu, byte[] data) {
    return ByteBuffer.allocate(SIZE + data.length)
        .putInt(MAGIC_OFFSET, MAGIC)
        .put(VERSION_OFFSET, VERSION)
        .put(MTU_OFFSET, (byte) mtu)
        .putShort(LENGTH_OFFSET, (short) data.length)
        .put(SIZE, data)
        .array();
  }

  /** The MTU in a reply, after a check of all of it. */
  static int mtu(byte[] reply) {
    ByteBuffer header = ByteBuffer.wrap(reply);
    if (reply.length < SIZE
        || header.getInt(MAGIC_OFFSET) != MAGIC
        || header.get(VERSION_OFFSET) != VERSION
        || header.get(MTU_OFFSET) < LEAST_MTU
        || header.get(MTU_OFFSET) > MOST_MTU
        || header.getShort(LENGTH_OFFSET) < 0
        || header.getShort(LENGTH_OFFSET) > reply.length - SIZE) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL, "the peer's reply is not one of this version of Verbena");
    }
    return header.get(MTU_OFFSET);
  }

  /** The private data in a reply that was checked. */
  static byte[] data(byte[] reply) {
    int length = ByteBuffer.wrap(reply).getShort(LENGTH_OFFSET);
    return Arrays.copyOfRange(reply, SIZE, SIZE + length);
  }
}
