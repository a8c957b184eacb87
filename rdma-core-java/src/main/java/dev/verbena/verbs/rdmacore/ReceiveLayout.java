// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.ReceiveRequest;
import java.nio.ByteBuffer;

/**
 * A RECV as C takes it, {@code struct vb_receive}, in host byte order.
 *
 * <pre>
 *   0    id:64                     what the completion brings back
 *   8    count of buffers:32, unused:32
 *   16   buffers, {@link BufferLayout}
 * </pre>
 */
final class ReceiveLayout {
  static final int ID_OFFSET = 0;
  static final int COUNT_OFFSET = 8;
  static final int SIZE = 16;

  private ReceiveLayout() {}

  /** Bytes of a RECV with that many buffers. */
  static int size(int buffers) {
    return SIZE + buffers * BufferLayout.SIZE;
  }

  static void write(ByteBuffer into, long id, ReceiveRequest request) {
    into.putLong(ID_OFFSET, id);
    into.putInt(COUNT_OFFSET, request.bufferCount());
    for (int i = 0; i < request.bufferCount(); i++) {
      BufferLayout.write(
          into,
          SIZE + i * BufferLayout.SIZE,
          request.bufferAddress(i),
          request.bufferLength(i),
          request.bufferKey(i));
    }
  }
}
