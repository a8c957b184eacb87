// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/**
 * The last message of a handshake: the server's proof and the session; big-endian.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                        incarnation:64                         |
 * +---------------------------------------------------------------+
 * |                        session id:64                          |
 * +---------------------------------------------------------------+
 * |                       server proof:256                        |
 * +---------------------------------------------------------------+
 * </pre>
 */
final class Welcome {
  static final int LENGTH = 16 + HandshakeProofs.LENGTH;

  private Welcome() {}

  static ByteBuffer encode(long incarnation, long sessionId, byte[] proof) {
    return ByteBuffer.allocate(LENGTH).putLong(incarnation).putLong(sessionId).put(proof).flip();
  }
}
