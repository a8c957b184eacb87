// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text on the wire: UTF-8 of bounded length; malformed input becomes replacement characters. */
final class Utf8 {
  private Utf8() {}

  /** The text in at most {@code most} bytes; what is beyond is cut off between characters. */
  static byte[] encode(String text, int most) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= most) {
      return bytes;
    }
    int end = most;
    while (end > 0 && (bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    return Arrays.copyOf(bytes, end);
  }

  static String decode(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** What remains of the buffer, as text. */
  static String decode(ByteBuffer rest) {
    byte[] bytes = new byte[rest.remaining()];
    rest.get(bytes);
    return decode(bytes);
  }
}
