// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.net.InetSocketAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * The server's side of a handshake: tells nothing but its own name before the client has proved.
 */
final class ServerHandshake {
  /**
   * What to say next.
   *
   * @param status OK, or why the handshake ends with this
   */
  record Answer(MessageKind kind, MessageStatus status, ByteBuffer payload) {
    boolean isRefusal() {
      return status != MessageStatus.OK;
    }
  }

  private static final SecureRandom RANDOM = new SecureRandom();

  private final RpcOptions options;
  private final VersionRange versions;
  private final WireAddress bound;
  private final String deviceName;
  private final long incarnation;
  private final long sessionId = RANDOM.nextLong();
  private Hello hello;
  private int version;
  private HandshakeProofs proofs;
  private Agreement agreement;

  ServerHandshake(
      RpcOptions options,
      VersionRange versions,
      InetSocketAddress bound,
      String deviceName,
      long incarnation) {
    this.options = options;
    this.versions = versions;
    this.bound = WireAddress.of(bound);
    this.deviceName = deviceName;
    this.incarnation = incarnation;
  }

  long sessionId() {
    return sessionId;
  }

  /** What was agreed on; null until the client has proved that it knows the secret. */
  Agreement agreement() {
    return agreement;
  }

  /**
   * Takes a message.
   *
   * @throws IllegalArgumentException if it is malformed or out of order
   */
  Answer take(MessageKind kind, ByteBuffer payload) {
    try {
      if (kind == MessageKind.HELLO && hello == null) {
        return hello(payload);
      }
      if (kind == MessageKind.PROOF && proofs != null && agreement == null) {
        return proof(payload);
      }
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a " + kind + " that is too short", e);
    }
    throw new IllegalArgumentException("a " + kind + " out of order");
  }

  private Answer hello(ByteBuffer payload) {
    ByteBuffer whole = payload.duplicate();
    hello = Hello.decode(payload);
    version = versions.agree(hello.versions());
    if (version == 0) {
      return refuse(
          MessageStatus.VERSION,
          "this server speaks protocol version " + versions + ", the client " + hello.versions());
    }
    ByteBuffer challenge =
        new Hello(
                new VersionRange(version, version),
                options.receiveDepth(),
                options.eagerBytes(),
                Nonce.fresh(RANDOM),
                bound,
                deviceName)
            .encode();
    proofs = new HandshakeProofs(options.secret(), whole, challenge);
    return new Answer(MessageKind.CHALLENGE, MessageStatus.OK, challenge);
  }

  private Answer proof(ByteBuffer payload) {
    byte[] given = new byte[payload.remaining()];
    payload.get(given);
    if (!HandshakeProofs.equal(proofs.client(), given)) {
      proofs = null;
      return refuse(
          MessageStatus.AUTHENTICATION, "the client could not prove that it knows the secret");
    }
    if (!bound.isReachedBy(hello.server())) {
      proofs = null;
      return refuse(
          MessageStatus.AUTHENTICATION, "the client dialled another address than this server's");
    }
    agreement =
        new Agreement(
            version,
            incarnation,
            sessionId,
            proofs.bulkToken(given, incarnation, sessionId),
            hello.bufferSize(),
            hello.depth(),
            hello.deviceName());
    return new Answer(
        MessageKind.WELCOME,
        MessageStatus.OK,
        Welcome.encode(incarnation, sessionId, proofs.server(given, incarnation, sessionId)));
  }

  static Answer refuse(MessageStatus status, String why) {
    return new Answer(
        MessageKind.REFUSAL, status, ByteBuffer.wrap(why.getBytes(StandardCharsets.UTF_8)));
  }
}
