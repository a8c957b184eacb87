// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/** A message that waits for a slot or a credit, with its own copy of the payload. Re-used. */
final class QueuedMessage {
  private MessageKind kind;
  private MessageStatus status;
  private int method;
  private long callId;
  private long deadline;
  private ByteBuffer payload = ByteBuffer.allocate(128);
  private int length;

  void set(
      MessageKind newKind,
      MessageStatus newStatus,
      int newMethod,
      long newCallId,
      long newDeadline,
      ByteBuffer source,
      int from,
      int newLength) {
    kind = newKind;
    status = newStatus;
    method = newMethod;
    callId = newCallId;
    deadline = newDeadline;
    if (payload.capacity() < newLength) {
      payload = ByteBuffer.allocate(newLength);
    }
    payload.put(0, source, from, newLength);
    length = newLength;
  }

  boolean isRequest() {
    return kind == MessageKind.REQUEST
        || kind == MessageKind.REQUEST_RENDEZVOUS
        || kind == MessageKind.ONE_WAY
        || kind == MessageKind.ONE_WAY_RENDEZVOUS;
  }

  MessageKind kind() {
    return kind;
  }

  MessageStatus status() {
    return status;
  }

  int method() {
    return method;
  }

  long callId() {
    return callId;
  }

  long deadline() {
    return deadline;
  }

  ByteBuffer payload() {
    return payload;
  }

  int length() {
    return length;
  }
}
