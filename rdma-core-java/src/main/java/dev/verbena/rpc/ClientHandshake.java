// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.net.InetSocketAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** The client's side of a handshake: what to say, and whether to believe what is answered. */
final class ClientHandshake {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final RpcSecret secret;
  private final VersionRange versions;
  private final ByteBuffer hello;
  private HandshakeProofs proofs;
  private byte[] ownProof;
  private Hello challenge;

  ClientHandshake(
      RpcOptions options, VersionRange versions, InetSocketAddress server, String deviceName) {
    this.secret = options.secret();
    this.versions = versions;
    this.hello =
        new Hello(
                versions,
                options.receiveDepth(),
                options.eagerBytes(),
                Nonce.fresh(RANDOM),
                WireAddress.of(server),
                deviceName)
            .encode();
  }

  ByteBuffer hello() {
    return hello.duplicate();
  }

  /**
   * Takes the challenge.
   *
   * @return the proof to send
   * @throws RpcException PROTOCOL or VERSION
   */
  ByteBuffer challenge(ByteBuffer payload) {
    if (challenge != null) {
      throw malformed("a second challenge", null);
    }
    ByteBuffer whole = payload.duplicate();
    try {
      challenge = Hello.decode(payload);
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw malformed("a malformed challenge", e);
    }
    int version = challenge.versions().newest();
    if (version < versions.oldest() || version > versions.newest()) {
      throw new RpcException(
          RpcException.Code.VERSION,
          false,
          "the server chose version " + version + ", this client speaks " + versions,
          null);
    }
    proofs = new HandshakeProofs(secret, hello, whole);
    ownProof = proofs.client();
    return ByteBuffer.wrap(ownProof);
  }

  /**
   * Takes the welcome.
   *
   * @throws RpcException PROTOCOL, or AUTHENTICATION if the server does not know the secret
   */
  Agreement welcome(ByteBuffer payload) {
    if (proofs == null || payload.remaining() != Welcome.LENGTH) {
      throw malformed("a welcome out of order or of the wrong length", null);
    }
    long incarnation = payload.getLong();
    long sessionId = payload.getLong();
    byte[] proof = new byte[HandshakeProofs.LENGTH];
    payload.get(proof);
    if (!HandshakeProofs.equal(proofs.server(ownProof, incarnation, sessionId), proof)) {
      throw new RpcException(
          RpcException.Code.AUTHENTICATION,
          false,
          "the server could not prove that it knows the secret",
          null);
    }
    return new Agreement(
        challenge.versions().newest(),
        incarnation,
        sessionId,
        proofs.bulkToken(ownProof, incarnation, sessionId),
        challenge.bufferSize(),
        challenge.depth(),
        challenge.deviceName());
  }

  private static RpcException malformed(String what, Exception cause) {
    return new RpcException(RpcException.Code.PROTOCOL, false, "the server sent " + what, cause);
  }
}
