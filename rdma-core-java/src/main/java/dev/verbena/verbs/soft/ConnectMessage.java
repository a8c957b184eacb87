// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.VerbsException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * The messages of the connection manager, on a TCP connection of their own (but for {@link Join},
 * which opens a data connection). Big-endian:
 *
 * <pre>
 *   0            4         6        7        8            12
 *   +------------+---------+--------+--------+------------+----------------
 *   |  "VRBN"    | version |  type  |   0    |  length    |  body ...
 *   +------------+---------+--------+--------+------------+----------------
 *
 *   Request  incarnation:128, queue pair:32, flags:8 (1 tcp only, 2 bulk), directory UTF,
 *            private data {length:16, bytes}
 *   Reply    incarnation:128, queue pair:32, flags:8, directory UTF, proof {length:16, bytes},
 *            private data
 *   Ready    carrier:8 (0 tcp, 1 shm), link:64, proof
 *   Done     nothing
 *   Reject   reason UTF, private data
 *   Join     incarnation:128, link:64      answered by Done
 * </pre>
 *
 * A body is at most {@link #MAX_BODY} bytes, and every length in it is checked against it.
 */
sealed interface ConnectMessage {
  int MAGIC = 0x5652_424e;
  int VERSION = 2;
  int HEADER_SIZE = 12;
  int MAX_BODY = 4096;

  int MAGIC_OFFSET = 0;
  int VERSION_OFFSET = 4;
  int TYPE_OFFSET = 6;
  int LENGTH_OFFSET = 8;

  /** Active side: wants to connect. */
  record Request(
      Incarnation incarnation,
      int queuePair,
      boolean tcpOnly,
      boolean bulk,
      String directory,
      byte[] privateData)
      implements ConnectMessage {}

  /** Passive side: accepts, and proves what it can read. */
  record Reply(
      Incarnation incarnation,
      int queuePair,
      boolean tcpOnly,
      String directory,
      byte[] proof,
      byte[] privateData)
      implements ConnectMessage {}

  /** Active side: chose a carrier and is ready to receive; over tcp, by the link of that id. */
  record Ready(boolean shm, long link, byte[] proof) implements ConnectMessage {}

  /** Both are connected. */
  record Done() implements ConnectMessage {}

  /** No. */
  record Reject(String reason, byte[] privateData) implements ConnectMessage {}

  /** The first message of a tcp data connection between two devices. */
  record Join(Incarnation incarnation, long link) implements ConnectMessage {}

  /** The message with its header, ready to write. */
  default ByteBuffer encode() {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    int type;
    try (DataOutputStream out = new DataOutputStream(body)) {
      type = encodeBody(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (body.size() > MAX_BODY) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "connect message of " + body.size() + " bytes");
    }
    return ByteBuffer.allocate(HEADER_SIZE + body.size())
        .putInt(MAGIC)
        .putShort((short) VERSION)
        .put((byte) type)
        .put((byte) 0)
        .putInt(body.size())
        .put(body.toByteArray())
        .flip();
  }

  private int encodeBody(DataOutputStream out) throws IOException {
    if (this instanceof Request request) {
      write(out, request.incarnation);
      out.writeInt(request.queuePair);
      out.writeByte((request.tcpOnly ? 1 : 0) | (request.bulk ? 2 : 0));
      out.writeUTF(request.directory);
      write(out, request.privateData);
      return 1;
    } else if (this instanceof Reply reply) {
      write(out, reply.incarnation);
      out.writeInt(reply.queuePair);
      out.writeByte(reply.tcpOnly ? 1 : 0);
      out.writeUTF(reply.directory);
      write(out, reply.proof);
      write(out, reply.privateData);
      return 2;
    } else if (this instanceof Ready ready) {
      out.writeByte(ready.shm ? 1 : 0);
      out.writeLong(ready.link);
      write(out, ready.proof);
      return 3;
    } else if (this instanceof Reject reject) {
      out.writeUTF(reject.reason);
      write(out, reject.privateData);
      return 5;
    } else if (this instanceof Join join) {
      write(out, join.incarnation);
      out.writeLong(join.link);
      return 6;
    }
    return 4;
  }

  /**
   * Bytes of the body that a header announces.
   *
   * @throws VerbsException PROTOCOL if it is not one of ours or too long
   */
  static int bodyLength(ByteBuffer header) {
    if (header.getInt(MAGIC_OFFSET) != MAGIC) {
      throw new VerbsException(VerbsException.Code.PROTOCOL, "the peer is not a Verbena device");
    }
    int version = header.getShort(VERSION_OFFSET);
    if (version != VERSION) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL,
          "the peer speaks version " + version + " of the soft NIC, expected " + VERSION);
    }
    int length = header.getInt(LENGTH_OFFSET);
    if (length < 0 || length > MAX_BODY) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL, "connect message of " + length + " bytes");
    }
    return length;
  }

  /**
   * Reads a message.
   *
   * @throws VerbsException PROTOCOL if it is malformed
   */
  static ConnectMessage decode(int type, byte[] body) {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(body));
    try {
      return switch (type) {
        case 1 -> {
          Incarnation incarnation = readIncarnation(in);
          int queuePair = in.readInt();
          int flags = in.readByte();
          String directory = in.readUTF();
          yield new Request(
              incarnation, queuePair, (flags & 1) != 0, (flags & 2) != 0, directory, readBytes(in));
        }
        case 2 -> {
          Incarnation incarnation = readIncarnation(in);
          int queuePair = in.readInt();
          boolean tcpOnly = in.readByte() != 0;
          String directory = in.readUTF();
          byte[] proof = readBytes(in);
          yield new Reply(incarnation, queuePair, tcpOnly, directory, proof, readBytes(in));
        }
        case 3 -> {
          boolean shm = in.readByte() == 1;
          long link = in.readLong();
          yield new Ready(shm, link, readBytes(in));
        }
        case 4 -> new Done();
        case 5 -> new Reject(in.readUTF(), readBytes(in));
        case 6 -> new Join(readIncarnation(in), in.readLong());
        default ->
            throw new VerbsException(
                VerbsException.Code.PROTOCOL, "connect message of unknown type " + type);
      };
    } catch (IOException e) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL, "malformed connect message of type " + type, e);
    }
  }

  private static void write(DataOutputStream out, Incarnation incarnation) throws IOException {
    out.writeLong(incarnation.high());
    out.writeLong(incarnation.low());
  }

  private static void write(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeShort(bytes.length);
    out.write(bytes);
  }

  private static Incarnation readIncarnation(DataInputStream in) throws IOException {
    long high = in.readLong();
    return new Incarnation(high, in.readLong());
  }

  private static byte[] readBytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readUnsignedShort()];
    in.readFully(bytes);
    return bytes;
  }
}
