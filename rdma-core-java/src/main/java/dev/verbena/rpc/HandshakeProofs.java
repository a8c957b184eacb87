// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import javax.crypto.Mac;

/**
 * The proofs of a handshake: HMAC-SHA256 (RFC 2104) under the secret, over a label and all that was
 * said before. The labels differ by role, so that no end's proof serves as the other's; both
 * nonces, the version and the server's address as either end knows it are part of what was said, so
 * that nothing can be replayed, reflected, downgraded or relayed from another server's address.
 */
final class HandshakeProofs {
  static final int LENGTH = 32;

  private static final byte[] CLIENT = label("verbena-rpc client proof");
  private static final byte[] SERVER = label("verbena-rpc server proof");
  private static final byte[] BULK = label("verbena-rpc bulk token");

  private final RpcSecret secret;
  private final byte[] hello;
  private final byte[] challenge;

  /** Proofs over these two messages. */
  HandshakeProofs(RpcSecret secret, ByteBuffer hello, ByteBuffer challenge) {
    this.secret = secret;
    this.hello = copy(hello);
    this.challenge = copy(challenge);
  }

  byte[] client() {
    return begin(CLIENT).doFinal();
  }

  byte[] server(byte[] clientProof, long incarnation, long sessionId) {
    Mac mac = begin(SERVER);
    mac.update(clientProof);
    mac.update(session(incarnation, sessionId));
    return mac.doFinal();
  }

  BulkToken bulkToken(byte[] clientProof, long incarnation, long sessionId) {
    Mac mac = begin(BULK);
    mac.update(clientProof);
    mac.update(session(incarnation, sessionId));
    return new BulkToken(mac.doFinal());
  }

  /** Compares in constant time. */
  static boolean equal(byte[] expected, byte[] given) {
    return MessageDigest.isEqual(expected, given);
  }

  private Mac begin(byte[] label) {
    Mac mac = secret.newMac();
    update(mac, label);
    update(mac, hello);
    update(mac, challenge);
    return mac;
  }

  /** With its length in front, so that no two sequences of parts read alike. */
  private static void update(Mac mac, byte[] part) {
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
    mac.update(part);
  }

  private static ByteBuffer session(long incarnation, long sessionId) {
    return ByteBuffer.allocate(16).putLong(incarnation).putLong(sessionId).flip();
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return copy;
  }

  private static byte[] label(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
