// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** How a long range falls onto the pieces of a {@link MappedMemory}. */
final class PieceMath {
  static final int SHIFT = 30;
  static final ByteBuffer[] CLOSED = {};
  static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 18);

  private PieceMath() {}

  /** Where {@code offset} is in its piece. */
  static int index(long offset) {
    return (int) (offset & (MappedMemory.PIECE_SIZE - 1));
  }

  /** Bytes from {@code offset} that lie in one piece, at most {@code wanted}. */
  static int run(long offset, long wanted) {
    long left = MappedMemory.PIECE_SIZE - index(offset);
    return (int) Math.min(left, wanted);
  }

  static ByteBuffer[] split(ByteBuffer whole) {
    int size = whole.capacity();
    int count = Math.max(1, (int) ((size + MappedMemory.PIECE_SIZE - 1) >>> SHIFT));
    ByteBuffer[] pieces = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      int from = i << SHIFT;
      int length = (int) Math.min(MappedMemory.PIECE_SIZE, (long) size - from);
      pieces[i] = whole.slice(from, length).order(ByteOrder.nativeOrder());
    }
    return pieces;
  }
}
