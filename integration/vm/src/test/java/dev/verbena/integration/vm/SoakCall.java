// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import dev.verbena.testing.Pattern;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * A call of the RPC soak, whose request and answer follow from its number alone, so that either end
 * can check every byte. Half are short enough for inline data; one in twenty goes by rendezvous, up
 * to 1 MiB.
 *
 * @param number tells it from all others
 */
record SoakCall(long number) {
  /** The number of the method. */
  static final int METHOD = 7;

  /** Bytes of the longest request and of the longest answer. */
  static final int LONGEST = 1 << 20;

  private static final int SHORTEST = Long.BYTES;
  private static final int INLINE = 128;
  private static final int EAGER = 4000;
  private static final int MIDDLE = 64 << 10;

  /** The call that a request belongs to. */
  static SoakCall of(ByteBuffer request) {
    return new SoakCall(request.getLong(request.position()));
  }

  /** Bytes of the request, and of the answer. */
  int length() {
    SplittableRandom random = new SplittableRandom(number);
    int kind = random.nextInt(20);
    if (kind < 10) {
      return random.nextInt(SHORTEST, INLINE + 1);
    }
    if (kind < 16) {
      return random.nextInt(INLINE, EAGER + 1);
    }
    return kind < 19 ? random.nextInt(EAGER, MIDDLE + 1) : random.nextInt(MIDDLE, LONGEST + 1);
  }

  /** Its number, then bytes that follow from it. */
  ByteBuffer request() {
    int length = length();
    return ByteBuffer.allocate(length)
        .putLong(number)
        .put(new Pattern(number).bytes(0, length - Long.BYTES))
        .flip();
  }

  /** Other bytes, as many. */
  ByteBuffer answer() {
    return ByteBuffer.wrap(new Pattern(~number).bytes(0, length()));
  }
}
