// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.StoreException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads a message of a peer, of which nothing is trusted: what is not right is INVALID_ARGUMENT.
 */
final class WireReader {
  private final ByteBuffer in;
  private final String what;

  WireReader(ByteBuffer message, String what) {
    this.in = message.slice();
    this.what = what;
  }

  /**
   * Reads the version that every message begins with.
   *
   * @throws StoreException REJECTED if it is another one
   */
  WireReader version(int expected) {
    int version = getInt();
    if (version != expected) {
      throw new StoreException(
          StoreException.Code.REJECTED, what + " of version " + version + ", expected " + expected);
    }
    return this;
  }

  int getInt() {
    try {
      return in.getInt();
    } catch (BufferUnderflowException e) {
      throw tooShort(e);
    }
  }

  long getLong() {
    try {
      return in.getLong();
    } catch (BufferUnderflowException e) {
      throw tooShort(e);
    }
  }

  /** A count of things that take {@code each} bytes, at least, and all are still to come. */
  int count(int each) {
    int count = getInt();
    check(count >= 0 && (long) count * each <= in.remaining(), "a count", count);
    return count;
  }

  long[] longs(int count) {
    check(count >= 0 && (long) count * Long.BYTES <= in.remaining(), "a count", count);
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = in.getLong();
    }
    return words;
  }

  String string(int bytes) {
    check(bytes >= 0 && bytes <= in.remaining(), "the length of a string", bytes);
    byte[] utf8 = new byte[bytes];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /** All that is left. */
  ByteBuffer rest() {
    ByteBuffer rest = in.slice();
    in.position(in.limit());
    return rest;
  }

  void end() {
    check(!in.hasRemaining(), "what is left over, in bytes,", in.remaining());
  }

  void check(boolean holds, String of, long found) {
    if (!holds) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          what + ": " + of + " is " + found + ", which can't be");
    }
  }

  private StoreException tooShort(BufferUnderflowException cause) {
    return new StoreException(StoreException.Code.INVALID_ARGUMENT, what + " is too short", cause);
  }
}
