// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/**
 * Layout of the header that every message begins with; big-endian. A flyweight over a heap buffer:
 * received headers are copied out of registered memory before a field is looked at, so that a peer
 * can't change what was checked.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-------------------------------+---------------+---------------+
 * |          magic "VR"           |    version    |     kind      |
 * +-------------------------------+---------------+---------------+
 * |            status             |            credits            |
 * +-------------------------------+-------------------------------+
 * |                            method                             |
 * +---------------------------------------------------------------+
 * |                    length of what follows                     |
 * +---------------------------------------------------------------+
 * |                            call id                            |
 * |                                                               |
 * +---------------------------------------------------------------+
 * |               incarnation of the server it is for             |
 * |                                                               |
 * +---------------------------------------------------------------+
 * |            time left to answer in microseconds                |
 * |                                                               |
 * +---------------------------------------------------------------+
 * </pre>
 *
 * <p>The version is that agreed on; 0 in the handshake, whose messages never change. Credits tell
 * how many receive buffers came free at the sender since its last message.
 */
final class MessageHeader {
  /** Bytes of a header. */
  static final int LENGTH = 40;

  /** Version of the messages of the handshake. */
  static final int HANDSHAKE_VERSION = 0;

  private static final short MAGIC = 0x5652;
  private static final int MAGIC_OFFSET = 0;
  private static final int VERSION_OFFSET = 2;
  private static final int KIND_OFFSET = 3;
  private static final int STATUS_OFFSET = 4;
  private static final int CREDITS_OFFSET = 6;
  private static final int METHOD_OFFSET = 8;
  private static final int LENGTH_OFFSET = 12;
  private static final int CALL_ID_OFFSET = 16;
  private static final int INCARNATION_OFFSET = 24;
  private static final int TIME_LEFT_OFFSET = 32;

  private final ByteBuffer bytes;

  /** A header at the front of a big-endian heap buffer. */
  MessageHeader(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  /** Sets every field but the credits, which are 0 then. */
  MessageHeader set(
      int version,
      MessageKind kind,
      MessageStatus status,
      int method,
      int length,
      long callId,
      long incarnation,
      long timeLeftMicros) {
    bytes
        .putShort(MAGIC_OFFSET, MAGIC)
        .put(VERSION_OFFSET, (byte) version)
        .put(KIND_OFFSET, (byte) kind.code())
        .putShort(STATUS_OFFSET, (short) status.code())
        .putShort(CREDITS_OFFSET, (short) 0)
        .putInt(METHOD_OFFSET, method)
        .putInt(LENGTH_OFFSET, length)
        .putLong(CALL_ID_OFFSET, callId)
        .putLong(INCARNATION_OFFSET, incarnation)
        .putLong(TIME_LEFT_OFFSET, timeLeftMicros);
    return this;
  }

  void setCredits(int credits) {
    bytes.putShort(CREDITS_OFFSET, (short) credits);
  }

  ByteBuffer bytes() {
    return bytes;
  }

  boolean hasMagic() {
    return bytes.getShort(MAGIC_OFFSET) == MAGIC;
  }

  int version() {
    return bytes.get(VERSION_OFFSET) & 0xff;
  }

  /** The kind, or null if the code is unknown. */
  MessageKind kind() {
    return MessageKind.of(bytes.get(KIND_OFFSET) & 0xff);
  }

  /** The status, or null if the code is unknown. */
  MessageStatus status() {
    return MessageStatus.of(bytes.getShort(STATUS_OFFSET) & 0xffff);
  }

  int credits() {
    return bytes.getShort(CREDITS_OFFSET) & 0xffff;
  }

  int method() {
    return bytes.getInt(METHOD_OFFSET);
  }

  int length() {
    return bytes.getInt(LENGTH_OFFSET);
  }

  long callId() {
    return bytes.getLong(CALL_ID_OFFSET);
  }

  long incarnation() {
    return bytes.getLong(INCARNATION_OFFSET);
  }

  long timeLeftMicros() {
    return bytes.getLong(TIME_LEFT_OFFSET);
  }
}
