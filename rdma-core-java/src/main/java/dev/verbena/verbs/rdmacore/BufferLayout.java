// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.nio.ByteBuffer;

/**
 * A local buffer of a request: {@code struct ibv_sge}, in host byte order.
 *
 * <pre>
 *   0    address:64
 *   8    length:32, local key:32
 * </pre>
 */
final class BufferLayout {
  static final int ADDRESS_OFFSET = 0;
  static final int LENGTH_OFFSET = 8;
  static final int KEY_OFFSET = 12;
  static final int SIZE = 16;

  private BufferLayout() {}

  static void write(ByteBuffer into, int at, long address, int length, int key) {
    into.putLong(at + ADDRESS_OFFSET, address);
    into.putInt(at + LENGTH_OFFSET, length);
    into.putInt(at + KEY_OFFSET, key);
  }
}
