// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.rpc.RpcSecret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Tells a secret without holding it: HMAC-SHA256 (RFC 2104) of a salt.
 *
 * @param salt drawn once
 * @param expected what the secret makes of it, in hexadecimal digits
 */
record SecretVerifier(String salt, String expected) {
  private static final int SALT_BYTES = 16;

  static SecretVerifier of(RpcSecret secret) {
    byte[] random = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(random);
    String salt = HexFormat.of().formatHex(random);
    return new SecretVerifier(salt, mac(secret, salt));
  }

  boolean accepts(RpcSecret secret) {
    return MessageDigest.isEqual(
        mac(secret, salt).getBytes(StandardCharsets.US_ASCII),
        expected.getBytes(StandardCharsets.US_ASCII));
  }

  private static String mac(RpcSecret secret, String salt) {
    byte[] salted = salt.getBytes(StandardCharsets.US_ASCII);
    return HexFormat.of().formatHex(secret.newMac().doFinal(salted));
  }
}
