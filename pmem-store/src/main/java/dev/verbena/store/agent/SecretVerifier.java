// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tells a secret without holding it: HMAC-SHA256 (RFC 2104) of a salt.
 *
 * @param salt drawn once
 * @param expected what the secret makes of it, in hexadecimal digits
 */
record SecretVerifier(String salt, String expected) {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int SALT_BYTES = 16;

  static SecretVerifier of(byte[] secret) {
    byte[] random = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(random);
    String salt = HexFormat.of().formatHex(random);
    return new SecretVerifier(salt, mac(secret, salt));
  }

  boolean accepts(byte[] secret) {
    return MessageDigest.isEqual(
        mac(secret, salt).getBytes(StandardCharsets.US_ASCII),
        expected.getBytes(StandardCharsets.US_ASCII));
  }

  private static String mac(byte[] secret, String salt) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return HexFormat.of().formatHex(mac.doFinal(salt.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every Java platform", e);
    }
  }
}
