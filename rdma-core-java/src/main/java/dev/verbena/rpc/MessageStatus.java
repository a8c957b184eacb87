// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** How a call or handshake ended; the codes are part of the protocol. */
enum MessageStatus {
  /** Done; requests carry it too. */
  OK(0),
  /** The handler failed: its code and message follow. */
  HANDLER_FAILED(1),
  /** No such method. */
  NO_SUCH_METHOD(2),
  /** A bound of the server is reached; nothing ran. */
  OVERLOADED(3),
  /** The request is longer than the server takes; nothing ran. */
  TOO_LARGE(4),
  /** The request is for another start of the server; nothing ran. */
  WRONG_INCARNATION(5),
  /** No version in common. */
  VERSION(6),
  /** The secrets differ. */
  AUTHENTICATION(7);

  private static final MessageStatus[] BY_CODE = values();

  private final int code;

  MessageStatus(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static MessageStatus of(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
