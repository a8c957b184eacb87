// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.time.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One end of a connection to an agent's socket, each wait on which has a deadline. One thread uses
 * it; another may close it, which ends that one's wait.
 */
final class AgentChannel implements AutoCloseable {
  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;

  /** Takes over a connection. */
  AgentChannel(SocketChannel channel) throws IOException {
    this.channel = channel;
    this.selector = Selector.open();
    boolean done = false;
    try {
      channel.configureBlocking(false);
      this.key = channel.register(selector, 0);
      done = true;
    } finally {
      if (!done) {
        selector.close();
      }
    }
  }

  static AgentChannel connect(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    boolean done = false;
    try {
      channel.configureBlocking(false);
      if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
        throw new ConnectException("too many wait there to be let in");
      }
      AgentChannel connected = new AgentChannel(channel);
      done = true;
      return connected;
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  /** Waits until something can be read, or the other end is gone; false at the deadline. */
  boolean awaitReadable(Deadline deadline) throws IOException {
    return await(SelectionKey.OP_READ, deadline);
  }

  /**
   * Reads a frame.
   *
   * @param most bytes of its fields, at most
   * @return empty if the other end is gone and no frame has begun
   */
  Optional<AgentFrame> receive(int most, Deadline deadline) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(AgentFrameLayout.HEADER_BYTES);
    if (!fill(header, deadline)) {
      if (header.position() == 0) {
        return Optional.empty();
      }
      throw new EOFException("the connection ended in a frame");
    }
    ByteBuffer body = ByteBuffer.allocate(AgentFrameLayout.bodyBytes(header, most));
    if (!fill(body, deadline)) {
      throw new EOFException("the connection ended in a frame");
    }
    return Optional.of(AgentFrameLayout.decode(header, body.flip()));
  }

  void send(AgentFrame frame, Deadline deadline) throws IOException {
    ByteBuffer out = AgentFrameLayout.encode(frame);
    while (out.hasRemaining()) {
      if (channel.write(out) == 0 && !await(SelectionKey.OP_WRITE, deadline)) {
        throw new SocketTimeoutException("sending " + frame);
      }
    }
  }

  /** Whether the other end is there, as far as this one knows; nothing must be on its way. */
  boolean isConnected() {
    try {
      return channel.isOpen() && channel.read(ByteBuffer.allocate(1)) == 0;
    } catch (IOException e) {
      return false; // Which is what was asked.
    }
  }

  private boolean fill(ByteBuffer buffer, Deadline deadline) throws IOException {
    while (buffer.hasRemaining()) {
      int read = channel.read(buffer);
      if (read < 0) {
        return false;
      }
      if (read == 0 && !await(SelectionKey.OP_READ, deadline)) {
        throw new SocketTimeoutException("waiting for a frame");
      }
    }
    return true;
  }

  private boolean await(int operation, Deadline deadline) throws IOException {
    try {
      key.interestOps(operation);
      long millis = deadline.remainingMillis();
      int ready = millis == 0 ? selector.selectNow() : selector.select(millis);
      selector.selectedKeys().clear();
      if (!channel.isOpen()) {
        throw new AsynchronousCloseException();
      }
      return ready > 0 || !deadline.hasPassed();
    } catch (ClosedSelectorException | CancelledKeyException e) {
      AsynchronousCloseException closed = new AsynchronousCloseException();
      closed.initCause(e);
      throw closed;
    }
  }

  @Override
  public void close() throws IOException {
    try (selector) {
      channel.close();
    }
  }
}
