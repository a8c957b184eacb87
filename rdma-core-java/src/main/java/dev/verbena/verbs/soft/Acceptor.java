// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes connections from a server socket, on the device thread. One that can't be accepted, for
 * example for want of a free descriptor, does not end the server: it is tried again after a pause.
 */
final class Acceptor implements SelectionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final DeviceThread thread;
  private final ServerSocketChannel server;
  private final String name;
  private final Consumer<SocketChannel> taker;
  private boolean failing;

  /** Creates the acceptor of a bound server, called {@code name} in logs. */
  Acceptor(
      DeviceThread thread, ServerSocketChannel server, String name, Consumer<SocketChannel> taker) {
    this.thread = thread;
    this.server = server;
    this.name = name;
    this.taker = taker;
  }

  void start() {
    thread.serve(server, SelectionKey.OP_ACCEPT, this);
  }

  @Override
  public void ready(SelectionKey key) throws IOException {
    SocketChannel socket;
    try {
      socket = server.accept();
    } catch (IOException e) {
      if (!server.isOpen()) {
        throw e;
      }
      pause(key, e);
      return;
    }
    if (socket != null) {
      failing = false;
      taker.accept(socket);
    }
  }

  /** The connection still waits: asked at once, the selector would say so without end. */
  private void pause(SelectionKey key, IOException cause) {
    if (!failing) {
      failing = true;
      LOG.warn("{} can't accept a connection, and goes on trying", name, cause);
    }
    key.interestOpsAnd(~SelectionKey.OP_ACCEPT);
    thread.schedule(Deadline.after(PAUSE), () -> resume(key));
  }

  private void resume(SelectionKey key) {
    try {
      key.interestOpsOr(SelectionKey.OP_ACCEPT);
    } catch (CancelledKeyException e) {
      LOG.debug("{} was closed while it paused", name, e);
    }
  }

  @Override
  public void failed(Exception cause) {
    LOG.debug("{} ends", name, cause);
    close();
  }

  /** Ends the server; from any thread. */
  void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("closing {}", name, e);
    }
  }
}
