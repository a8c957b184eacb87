// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/**
 * The first message of a handshake, and the second (the challenge), which has the same layout: what
 * an end is. Big-endian; never changes, so that any two versions can refuse each other.
 *
 * <pre>
 * +---------------+---------------+-------------------------------+
 * | oldest ver.:8 | newest ver.:8 |       receive depth:16        |
 * +---------------+---------------+-------------------------------+
 * |                    receive buffer bytes:32                    |
 * +---------------------------------------------------------------+
 * |                           nonce:256                           |
 * +---------------+---------------+-------------------------------+
 * | addr. bytes:8 | name bytes:8  |            port:16            |
 * +---------------+---------------+-------------------------------+
 * |           the server's address: as dialled, as bound          |
 * +---------------------------------------------------------------+
 * |                device name of the sender, UTF-8               |
 * +---------------------------------------------------------------+
 * </pre>
 *
 * @param versions what the end speaks; a challenge has the agreed one twice
 * @param depth its receive buffers
 * @param bufferSize bytes of each
 * @param nonce fresh random bytes
 * @param server the server's address as the sender knows it
 * @param deviceName what the sender calls its device
 */
record Hello(
    VersionRange versions,
    int depth,
    int bufferSize,
    Nonce nonce,
    WireAddress server,
    String deviceName) {
  private static final int MOST_NAME_BYTES = 64;
  private static final int LEAST_DEPTH = 4;
  private static final int LEAST_BUFFER_SIZE = 1 << 10;

  ByteBuffer encode() {
    byte[] name = Utf8.encode(deviceName, MOST_NAME_BYTES);
    byte[] address = server.address();
    return ByteBuffer.allocate(12 + Nonce.LENGTH + address.length + name.length)
        .put((byte) versions.oldest())
        .put((byte) versions.newest())
        .putShort((short) depth)
        .putInt(bufferSize)
        .put(nonce.bytes())
        .put((byte) address.length)
        .put((byte) name.length)
        .putShort((short) server.port())
        .put(address)
        .put(name)
        .flip();
  }

  /**
   * Decodes.
   *
   * @throws java.nio.BufferUnderflowException if it is too short
   * @throws IllegalArgumentException if a field makes no sense
   */
  static Hello decode(ByteBuffer bytes) {
    VersionRange versions = new VersionRange(bytes.get() & 0xff, bytes.get() & 0xff);
    int depth = bytes.getShort() & 0xffff;
    int bufferSize = bytes.getInt();
    if (depth < LEAST_DEPTH || bufferSize < LEAST_BUFFER_SIZE) {
      throw new IllegalArgumentException(
          "receive buffers " + depth + " x " + bufferSize + " are too few or too small");
    }
    byte[] nonce = new byte[Nonce.LENGTH];
    bytes.get(nonce);
    int addressBytes = bytes.get() & 0xff;
    int nameBytes = bytes.get() & 0xff;
    int port = bytes.getShort() & 0xffff;
    if (addressBytes > WireAddress.MOST_BYTES || nameBytes > MOST_NAME_BYTES) {
      throw new IllegalArgumentException(
          "address of " + addressBytes + " or name of " + nameBytes + " bytes is too long");
    }
    byte[] address = new byte[addressBytes];
    bytes.get(address);
    byte[] name = new byte[nameBytes];
    bytes.get(name);
    return new Hello(
        versions,
        depth,
        bufferSize,
        new Nonce(nonce),
        new WireAddress(address, port),
        Utf8.decode(name));
  }
}
