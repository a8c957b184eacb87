// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.VerbsException;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection whose first message is still coming in, on the device thread. */
final class IncomingConnect implements SelectionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(IncomingConnect.class);

  private static final Duration FIRST_MESSAGE_DEADLINE = Duration.ofSeconds(10);

  private final SoftDevice device;
  private final SoftListener listener;
  private final SocketChannel socket;
  private boolean arrived;
  private ByteBuffer received = ByteBuffer.allocate(ConnectMessage.HEADER_SIZE);

  IncomingConnect(SoftDevice device, SoftListener listener, SocketChannel socket) {
    this.device = device;
    this.listener = listener;
    this.socket = socket;
  }

  /** Device thread: drops a connection that stays silent. */
  void expectFirstMessage() {
    device
        .thread()
        .schedule(
            Deadline.after(FIRST_MESSAGE_DEADLINE),
            () -> {
              if (!arrived && socket.isOpen()) {
                failed(new SocketTimeoutException("no first message"));
              }
            });
  }

  @Override
  public void ready(SelectionKey key) throws IOException {
    if (socket.read(received) < 0) {
      throw new EOFException("closed before its first message");
    }
    if (received.hasRemaining()) {
      return;
    }
    int length = ConnectMessage.bodyLength(received);
    int whole = ConnectMessage.HEADER_SIZE + length;
    if (received.capacity() < whole) {
      received = ByteBuffer.allocate(whole).put(received.flip());
      return;
    }
    byte[] body = new byte[length];
    received.get(ConnectMessage.HEADER_SIZE, body);
    dispatch(key, ConnectMessage.decode(received.get(ConnectMessage.TYPE_OFFSET), body));
  }

  private void dispatch(SelectionKey key, ConnectMessage message) throws IOException {
    arrived = true;
    device.thread().release(key);
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    if (message instanceof ConnectMessage.Request request) {
      socket.configureBlocking(true);
      listener.add(new PassiveConnect(device, listener, socket, request));
    } else if (message instanceof ConnectMessage.Join join) {
      device.links().tcpJoined(join, socket);
    } else {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL,
          "a connection began with " + message.getClass().getSimpleName());
    }
  }

  @Override
  public void failed(Exception cause) {
    LOG.debug("dropping a connection to {}", listener.address(), cause);
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing a connection to {}", listener.address(), e);
    }
  }
}
