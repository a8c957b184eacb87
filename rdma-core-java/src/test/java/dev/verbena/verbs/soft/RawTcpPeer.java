// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.mutation.Watch;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.QueuePair;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Future;

/** A tcp peer that can send any frame. Its queue pair has number {@link #NUMBER}. */
final class RawTcpPeer implements AutoCloseable {
  static final int NUMBER = 4711;

  private static final Incarnation SELF = new Incarnation(0x77, 0x88);
  private static final byte[] NOTHING = {};

  private final SocketChannel frames;
  private final int target;
  private final int targetIncarnation;
  private int sequence;

  /** A frame that came in. */
  record Frame(int type, int flags, int status, int queuePair, int request, byte[] payload) {}

  /** Joins the device that listens, and connects to a queue pair of it. */
  RawTcpPeer(SoftConnector connector, Device device, QueuePair passive, long link) {
    try (Listener listener =
        device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4)) {
      Future<?> accepted = connector.async(() -> accept(listener, passive));
      Deadline deadline = Deadline.after(Watch.patience());
      ConnectChannel joining = ConnectChannel.open(listener.address(), null, deadline);
      joining.write(new ConnectMessage.Join(SELF, link));
      joining.read(ConnectMessage.Done.class);
      frames = joining.detach();
      try (ConnectChannel connecting = ConnectChannel.open(listener.address(), null, deadline)) {
        connecting.write(new ConnectMessage.Request(SELF, NUMBER, true, false, "/", NOTHING));
        ConnectMessage.Reply reply = connecting.read(ConnectMessage.Reply.class);
        target = reply.queuePair();
        targetIncarnation = (int) reply.incarnation().low();
        connecting.write(new ConnectMessage.Ready(false, link, NOTHING));
        connecting.read(ConnectMessage.Done.class);
      }
      Await.result("accepting", accepted);
    }
  }

  private static void accept(Listener listener, QueuePair passive) {
    try {
      Deadline deadline = Deadline.after(Watch.patience());
      listener.nextRequest(deadline).accept(passive, NOTHING, deadline);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Begins a frame to the queue pair, with a payload of zeros that can be filled. */
  ByteBuffer frame(int type, int flags, int request, int payload) {
    return ByteBuffer.allocate(FrameLayout.HEADER_SIZE + payload)
        .putInt(FrameLayout.PAYLOAD_OFFSET, payload)
        .put(FrameLayout.TYPE_OFFSET, (byte) type)
        .put(FrameLayout.FLAGS_OFFSET, (byte) flags)
        .putInt(FrameLayout.INCARNATION_OFFSET, targetIncarnation)
        .putInt(FrameLayout.QUEUE_PAIR_OFFSET, target)
        .putInt(FrameLayout.REQUEST_OFFSET, request)
        .putInt(FrameLayout.TOTAL_OFFSET, payload);
  }

  /** Names the memory that a frame is for. */
  static ByteBuffer at(ByteBuffer frame, int key, long address) {
    return frame.putInt(FrameLayout.KEY_OFFSET, key).putLong(FrameLayout.ADDRESS_OFFSET, address);
  }

  /** Sends a whole frame, with the next number of the sequence. */
  void send(ByteBuffer frame) {
    sendPart(numbered(frame));
  }

  /** Gives a frame the next number of the sequence. */
  ByteBuffer numbered(ByteBuffer frame) {
    return frame.putInt(FrameLayout.SEQUENCE_OFFSET, sequence++);
  }

  /** Sends bytes as they are. */
  void sendPart(ByteBuffer frame) {
    try {
      frame.rewind();
      while (frame.hasRemaining()) {
        frames.write(frame);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next frame, awaited; null once the device closed the connection. */
  Frame next() {
    try {
      frames.socket().setSoTimeout((int) Watch.patience().toMillis());
      ByteBuffer header = read(FrameLayout.HEADER_SIZE);
      byte[] payload = read(header.getInt(FrameLayout.PAYLOAD_OFFSET)).array();
      assertThat(header.getInt(FrameLayout.INCARNATION_OFFSET)).isEqualTo((int) SELF.low());
      return new Frame(
          header.get(FrameLayout.TYPE_OFFSET),
          header.get(FrameLayout.FLAGS_OFFSET),
          header.get(FrameLayout.STATUS_OFFSET),
          header.getInt(FrameLayout.QUEUE_PAIR_OFFSET),
          header.getInt(FrameLayout.REQUEST_OFFSET),
          payload);
    } catch (EOFException | SocketException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ByteBuffer read(int count) throws IOException {
    byte[] bytes = new byte[count];
    InputStream in = frames.socket().getInputStream();
    if (in.readNBytes(bytes, 0, count) < count) {
      throw new EOFException();
    }
    return ByteBuffer.wrap(bytes);
  }

  void expect(int type, int request) {
    expect(type, request, 0);
  }

  void expect(int type, int request, int status) {
    Frame frame = next();
    assertThat(frame).as("an answer").isNotNull();
    assertThat(frame)
        .extracting(Frame::type, Frame::request, Frame::status, Frame::queuePair)
        .containsExactly(type, request, status, NUMBER);
  }

  @Override
  public void close() {
    try {
      frames.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
