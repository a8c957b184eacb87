// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.nio.ByteBuffer;

/** What a {@link MappedMemory} has mapped, and unmaps when it is closed. */
interface Mapping extends AutoCloseable {
  /**
   * Makes a range durable that lies within one piece.
   *
   * @param offset first byte, counted from the start of the memory
   */
  void force(ByteBuffer piece, long offset, int length);

  /** Unmaps all: no access may run or follow. Closing twice has no effect. */
  @Override
  void close();
}
