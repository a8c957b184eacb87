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
  private final FaultPort faults;
  private final FramePace pace;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(CAPACITY);
  private int sequence;

  FrameWriter(SocketChannel socket, Incarnation peer, FaultPort faults) {
    this.faults = faults;
    this.pace = FramePace.of(faults.newLink());
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
    int frame = FrameLayout.HEADER_SIZE + payload;
    int header = buffer.position();
    FaultPort.FrameFate fate = faults.frameBuilt();
    buffer.putInt(header + FrameLayout.SEQUENCE_OFFSET, sequence++);
    if (fate == FaultPort.FrameFate.IS_LOST) {
      return;
    }
    commit(frame);
    if (fate == FaultPort.FrameFate.GOES_OUT_TWICE && buffer.remaining() >= frame) {
      buffer.put(buffer.position(), buffer, header, frame);
      commit(frame);
    }
  }

  private void commit(int frame) {
    buffer.position(buffer.position() + frame);
    if (pace != null) {
      pace.add(frame, System.nanoTime());
    }
  }

  /** Writes out what the socket takes; true if nothing is left. */
  boolean flush() throws IOException {
    buffer.flip();
    int all = buffer.limit();
    try {
      if (pace == null) {
        socket.write(buffer);
      } else {
        buffer.limit(pace.passable(System.nanoTime()));
        pace.wrote(socket.write(buffer));
      }
    } finally {
      buffer.limit(all);
      buffer.compact();
    }
    faults.at(FaultStep.FRAME_SENT);
    return buffer.position() == 0;
  }

  /** How long the next frame is held back by a model of the link; 0 if none is. */
  long heldNanos() {
    return pace == null ? 0 : pace.heldNanos(System.nanoTime());
  }
}
