// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/**
 * Where a large message lies in its sender's registered memory; big-endian.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                          address:64                           |
 * +---------------------------------------------------------------+
 * |                           length:64                           |
 * +-------------------------------+-------------------------------+
 * |            key:32             |
 * +-------------------------------+
 * </pre>
 *
 * @param address the sender's name for the first byte
 * @param length bytes
 * @param key to present when reading
 */
record RendezvousDescriptor(long address, long length, int key) {
  static final int LENGTH = 20;

  private static final int ADDRESS_OFFSET = 0;
  private static final int LENGTH_OFFSET = 8;
  private static final int KEY_OFFSET = 16;

  static RendezvousDescriptor of(RegisteredBuffer buffer) {
    return new RendezvousDescriptor(buffer.address(), buffer.length(), buffer.remoteKey());
  }

  static RendezvousDescriptor decode(ByteBuffer bytes) {
    return new RendezvousDescriptor(
        bytes.getLong(ADDRESS_OFFSET), bytes.getLong(LENGTH_OFFSET), bytes.getInt(KEY_OFFSET));
  }

  ByteBuffer encode() {
    return ByteBuffer.allocate(LENGTH)
        .putLong(ADDRESS_OFFSET, address)
        .putLong(LENGTH_OFFSET, length)
        .putInt(KEY_OFFSET, key);
  }
}
