// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.security.SecureRandom;
import java.util.Arrays;

/** 32 random bytes that make a handshake unlike any other. */
final class Nonce {
  static final int LENGTH = 32;

  private final byte[] bytes;

  Nonce(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  static Nonce fresh(SecureRandom random) {
    byte[] bytes = new byte[LENGTH];
    random.nextBytes(bytes);
    return new Nonce(bytes);
  }

  byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Nonce that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
