// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What all who may talk to each other know. Immutable; never printed, and compared in constant
 * time.
 */
public final class RpcSecret {
  /** Fewest bytes of a secret. */
  public static final int MIN_LENGTH = 16;

  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] bytes;

  private RpcSecret(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * The secret with these bytes, which are copied.
   *
   * @throws IllegalArgumentException if there are fewer than {@link #MIN_LENGTH}
   */
  public static RpcSecret of(byte[] bytes) {
    if (bytes.length < MIN_LENGTH) {
      throw new IllegalArgumentException(
          "a secret of " + bytes.length + " bytes, expected at least " + MIN_LENGTH);
    }
    return new RpcSecret(bytes.clone());
  }

  /** A fresh HMAC-SHA256 (RFC 2104) under this secret. */
  public Mac newMac() {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(bytes, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every Java platform", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RpcSecret that && MessageDigest.isEqual(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return bytes.length;
  }

  @Override
  public String toString() {
    return "RpcSecret[redacted]";
  }
}
