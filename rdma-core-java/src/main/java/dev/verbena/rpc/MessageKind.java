// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** What a message is; the codes are part of the protocol. */
enum MessageKind {
  /** Client to server: versions, nonce, sizes. */
  HELLO(1, true),
  /** Server to client: version, nonce, sizes. */
  CHALLENGE(2, true),
  /** Client to server: proof of the secret. */
  PROOF(3, true),
  /** Server to client: proof of the secret, session. */
  WELCOME(4, true),
  /** Server to client: no, and why. */
  REFUSAL(5, true),
  /** Server to client: the bulk queue pair is connected, calls may begin. */
  READY(6, true),
  /** A request, which follows. */
  REQUEST(16, false),
  /** A request that the server is to READ from where the descriptor says. */
  REQUEST_RENDEZVOUS(17, false),
  /** A request without an answer, which follows. */
  ONE_WAY(18, false),
  /** A request without an answer that the server is to READ. */
  ONE_WAY_RENDEZVOUS(19, false),
  /** A response, which follows. */
  RESPONSE(20, false),
  /** A response that the client is to READ from where the descriptor says. */
  RESPONSE_RENDEZVOUS(21, false),
  /** What the call's rendezvous offered was READ, or is not wanted: its buffer may go. */
  RENDEZVOUS_DONE(22, false),
  /** Nothing but credits. */
  CREDIT(23, false);

  private static final MessageKind[] BY_CODE = new MessageKind[32];

  static {
    for (MessageKind kind : values()) {
      BY_CODE[kind.code] = kind;
    }
  }

  private final int code;
  private final boolean handshake;

  MessageKind(int code, boolean handshake) {
    this.code = code;
    this.handshake = handshake;
  }

  int code() {
    return code;
  }

  /** Whether it belongs to the handshake, where no credits are counted. */
  boolean isHandshake() {
    return handshake;
  }

  static MessageKind of(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
