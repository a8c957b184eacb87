// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/**
 * Private data of a reject; big-endian.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                       magic "VRPR":32                         |
 * +-------------------------------+-------------------------------+
 * |           status:16           |
 * +-------------------------------+
 * </pre>
 */
final class RejectData {
  private static final int MAGIC = 0x56525052;
  private static final int MAGIC_OFFSET = 0;
  private static final int STATUS_OFFSET = 4;
  private static final int LENGTH = 6;

  private RejectData() {}

  static byte[] encode(MessageStatus status) {
    return ByteBuffer.allocate(LENGTH)
        .putInt(MAGIC_OFFSET, MAGIC)
        .putShort(STATUS_OFFSET, (short) status.code())
        .array();
  }

  /** The status; null if the reject is not ours. */
  static MessageStatus decode(byte[] data) {
    ByteBuffer bytes = ByteBuffer.wrap(data);
    return data.length < LENGTH || bytes.getInt(MAGIC_OFFSET) != MAGIC
        ? null
        : MessageStatus.of(bytes.getShort(STATUS_OFFSET) & 0xffff);
  }
}
