// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The layout of what is said over an agent's socket: a request, then its reply. Big-endian.
 *
 * <pre>
 *     0 |   magic:32    | version:16 |  kind:16  |
 *     8 |   bytes:32    |  fields:32             |  bytes of all fields, lengths included
 *    16 | for each field                         |
 *       |  length:32    |  UTF-8                 |
 * </pre>
 */
final class AgentFrameLayout {
  static final int HEADER_BYTES = 16;

  /** Bytes of all fields of the longest request. */
  static final int LONGEST_REQUEST = 64 << 10;

  /** Bytes of all fields of the longest reply: a list of what is stored. */
  static final int LONGEST_REPLY = 64 << 20;

  /** "VBAG". */
  private static final int MAGIC = 0x56424147;

  private static final short VERSION = 1;
  private static final int MAGIC_AT = 0;
  private static final int VERSION_AT = 4;
  private static final int KIND_AT = 6;
  private static final int BYTES_AT = 8;
  private static final int FIELDS_AT = 12;

  private AgentFrameLayout() {}

  static ByteBuffer encode(AgentFrame frame) {
    List<byte[]> fields = new ArrayList<>();
    int bytes = 0;
    for (String field : frame.fields()) {
      byte[] encoded = field.getBytes(StandardCharsets.UTF_8);
      fields.add(encoded);
      bytes = Math.addExact(bytes, Integer.BYTES + encoded.length);
    }
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + bytes);
    out.putInt(MAGIC_AT, MAGIC);
    out.putShort(VERSION_AT, VERSION);
    out.putShort(KIND_AT, (short) frame.kind().number());
    out.putInt(BYTES_AT, bytes);
    out.putInt(FIELDS_AT, fields.size());
    out.position(HEADER_BYTES);
    fields.forEach(field -> out.putInt(field.length).put(field));
    return out.flip();
  }

  /**
   * Bytes that follow a header.
   *
   * @throws AgentProtocolException if it is none, or more than {@code most}
   */
  static int bodyBytes(ByteBuffer header, int most) throws AgentProtocolException {
    check(header.getInt(MAGIC_AT) == MAGIC, "magic", header.getInt(MAGIC_AT));
    check(header.getShort(VERSION_AT) == VERSION, "version", header.getShort(VERSION_AT));
    int bytes = header.getInt(BYTES_AT);
    check(bytes >= 0 && bytes <= most, "length", bytes);
    return bytes;
  }

  /** Reads a frame whose body is there whole. */
  static AgentFrame decode(ByteBuffer header, ByteBuffer body) throws AgentProtocolException {
    int count = header.getInt(FIELDS_AT);
    check(count >= 0 && count <= body.remaining() / Integer.BYTES, "number of fields", count);
    List<String> fields = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      check(body.remaining() >= Integer.BYTES, "end of field", i);
      int length = body.getInt();
      check(length >= 0 && length <= body.remaining(), "length of a field", length);
      byte[] bytes = new byte[length];
      body.get(bytes);
      fields.add(new String(bytes, StandardCharsets.UTF_8));
    }
    check(!body.hasRemaining(), "bytes after the fields", body.remaining());
    return new AgentFrame(AgentFrame.Kind.numbered(header.getShort(KIND_AT)), fields);
  }

  private static void check(boolean holds, String what, long found) throws AgentProtocolException {
    if (!holds) {
      throw new AgentProtocolException(what + " is " + found);
    }
  }
}
