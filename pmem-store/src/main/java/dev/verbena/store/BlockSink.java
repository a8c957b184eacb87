// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.nio.ByteBuffer;

/** Takes the bytes of one block, in order. Used by one thread, only while it is lent out. */
public interface BlockSink {
  /** Appends {@code length} bytes of an array. */
  void put(byte[] source, int offset, int length);

  /** Appends the remaining bytes of a buffer and moves its position to its limit. */
  void put(ByteBuffer source);
}
