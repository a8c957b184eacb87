// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The first message on a wake socket. Big-endian.
 *
 * <pre>
 *   0                 16            18
 *   +-----------------+-------------+---------------------------
 *   |  incarnation    |  length     |  directory, UTF-8 ...
 *   +-----------------+-------------+---------------------------
 * </pre>
 */
final class WakeHello {
  static final int MAX_SIZE = 1024;
  private static final int HIGH_OFFSET = 0;
  private static final int LOW_OFFSET = 8;
  private static final int LENGTH_OFFSET = 16;
  private static final int DIRECTORY_OFFSET = 18;

  private WakeHello() {}

  static ByteBuffer of(Incarnation incarnation, Path directory) {
    byte[] path = directory.toString().getBytes(StandardCharsets.UTF_8);
    ByteBuffer hello = ByteBuffer.allocate(DIRECTORY_OFFSET + path.length);
    hello.putLong(HIGH_OFFSET, incarnation.high());
    hello.putLong(LOW_OFFSET, incarnation.low());
    hello.putShort(LENGTH_OFFSET, (short) path.length);
    hello.put(DIRECTORY_OFFSET, path);
    return hello;
  }

  /** Whether all bytes are there; an IOException if they never will fit. */
  static boolean isWhole(ByteBuffer received) throws IOException {
    if (received.position() < DIRECTORY_OFFSET) {
      return false;
    }
    int length = Short.toUnsignedInt(received.getShort(LENGTH_OFFSET));
    if (length > MAX_SIZE - DIRECTORY_OFFSET) {
      throw new IOException("hello with a directory of " + length + " bytes");
    }
    return received.position() >= DIRECTORY_OFFSET + length;
  }

  static Incarnation incarnation(ByteBuffer hello) {
    return new Incarnation(hello.getLong(HIGH_OFFSET), hello.getLong(LOW_OFFSET));
  }

  static Path directory(ByteBuffer hello) throws IOException {
    int length = Short.toUnsignedInt(hello.getShort(LENGTH_OFFSET));
    byte[] path = new byte[length];
    hello.get(DIRECTORY_OFFSET, path);
    try {
      return Path.of(new String(path, StandardCharsets.UTF_8));
    } catch (InvalidPathException e) {
      throw new IOException("hello with a malformed directory", e);
    }
  }
}
