// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The outgoing half of a tcp link: frames gather in a buffer and go out with as few system calls as
 * the socket takes. Used under {@link #claim}, by posting threads and the device thread.
 */
final class FrameWriter {
  private static final int CAPACITY = 8 * (FrameLayout.HEADER_SIZE + FrameLayout.MAX_PAYLOAD);

  private final SocketChannel socket;
  private final int incarnation;
  private final SpinClaim claim = new SpinClaim();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(CAPACITY);

  FrameWriter(SocketChannel socket, Incarnation peer) {
    this.socket = socket;
    this.incarnation = (int) peer.low();
  }

  SpinClaim claim() {
    return claim;
  }

  /** Whether a frame with {@code payload} bytes fits, if need be after writing out what waits. */
  boolean hasRoom(int payload) throws IOException {
    int needed = FrameLayout.HEADER_SIZE + payload;
    if (buffer.remaining() < needed) {
      flush();
    }
    return buffer.remaining() >= needed;
  }

  /**
   * Begins a frame for which there is room, and returns the index of its header in {@link #buffer};
   * fields not set are 0. The payload's place is {@code header + HEADER_SIZE}.
   */
  int begin(int type, int flags, int queuePair, int request, int payload) {
    int header = buffer.position();
    for (int i = 0; i < FrameLayout.HEADER_SIZE; i += Long.BYTES) {
      buffer.putLong(header + i, 0);
    }
    buffer.putInt(header + FrameLayout.PAYLOAD_OFFSET, payload);
    buffer.put(header + FrameLayout.TYPE_OFFSET, (byte) type);
    buffer.put(header + FrameLayout.FLAGS_OFFSET, (byte) flags);
    buffer.putInt(header + FrameLayout.INCARNATION_OFFSET, incarnation);
    buffer.putInt(header + FrameLayout.QUEUE_PAIR_OFFSET, queuePair);
    buffer.putInt(header + FrameLayout.REQUEST_OFFSET, request);
    return header;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  /** Ends the frame that {@link #begin} began: it may go out. */
  void end(int payload) {
    buffer.position(buffer.position() + FrameLayout.HEADER_SIZE + payload);
  }

  /** Writes out what the socket takes; true if nothing is left. */
  boolean flush() throws IOException {
    buffer.flip();
    try {
      socket.write(buffer);
    } finally {
      buffer.compact();
    }
    return buffer.position() == 0;
  }
}
