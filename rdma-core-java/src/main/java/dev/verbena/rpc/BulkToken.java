// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** 32 bytes that only the two ends of a handshake can know. Compared in constant time. */
final class BulkToken {
  static final int LENGTH = 32;

  private final byte[] bytes;

  BulkToken(byte[] bytes) {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException("a token of " + bytes.length + " bytes, not " + LENGTH);
    }
    this.bytes = bytes.clone();
  }

  void putTo(ByteBuffer target, int offset) {
    target.put(offset, bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BulkToken that && MessageDigest.isEqual(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return LENGTH;
  }

  @Override
  public String toString() {
    return "BulkToken[redacted]";
  }
}
