// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.memory.MappedMemory;
import java.nio.ByteBuffer;

/**
 * A message as it lies in its receive buffer: the header is copied out, the payload is copied by
 * who needs it. Used again for each message, by the thread that polls.
 */
final class ReceivedMessage {
  private final MappedMemory memory;
  private final MessageHeader header = new MessageHeader(ByteBuffer.allocate(MessageHeader.LENGTH));
  private long payloadOffset;
  private int payloadLength;

  ReceivedMessage(MappedMemory memory) {
    this.memory = memory;
  }

  /**
   * Takes a message.
   *
   * @param offset where it begins in the memory
   * @param byteLength bytes that arrived
   * @return what is wrong with it; null if nothing
   */
  String take(long offset, int byteLength) {
    if (byteLength < MessageHeader.LENGTH) {
      return "a message of " + byteLength + " bytes, shorter than a header";
    }
    memory.get(offset, header.bytes(), 0, MessageHeader.LENGTH);
    payloadOffset = offset + MessageHeader.LENGTH;
    payloadLength = byteLength - MessageHeader.LENGTH;
    if (!header.hasMagic()) {
      return "no message: its magic number is wrong";
    }
    if (header.kind() == null || header.status() == null) {
      return "a message of unknown kind or status";
    }
    if (header.length() != payloadLength) {
      return "a message that says it is followed by "
          + header.length()
          + " bytes, but "
          + payloadLength
          + " came";
    }
    if (header.kind().isHandshake() && header.version() != MessageHeader.HANDSHAKE_VERSION) {
      return "a handshake message of version " + header.version();
    }
    return null;
  }

  MessageHeader header() {
    return header;
  }

  int payloadLength() {
    return payloadLength;
  }

  /** Copies the payload to an absolute index of {@code target}. */
  void copyPayload(ByteBuffer target, int index) {
    memory.get(payloadOffset, target, index, payloadLength);
  }

  /** The payload in a new buffer. */
  ByteBuffer copyPayload() {
    ByteBuffer copy = ByteBuffer.allocate(payloadLength);
    copyPayload(copy, 0);
    return copy;
  }
}
