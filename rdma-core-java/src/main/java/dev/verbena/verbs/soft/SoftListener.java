// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening TCP socket; connects and tcp data connections of peers come in here. */
final class SoftListener implements Listener, SelectionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(SoftListener.class);

  private final SoftDevice device;
  private final ServerSocketChannel server;
  private final InetSocketAddress address;
  private final int backlog;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<PassiveConnect> waiting = new ArrayDeque<>();
  private boolean closed;

  private SoftListener(
      SoftDevice device, ServerSocketChannel server, InetSocketAddress address, int backlog) {
    this.device = device;
    this.server = server;
    this.address = address;
    this.backlog = backlog;
  }

  static SoftListener open(SoftDevice device, InetSocketAddress local, int backlog) {
    try {
      ServerSocketChannel server = ServerSocketChannel.open();
      try {
        server.bind(local, Math.max(backlog, 16));
        SoftListener listener =
            new SoftListener(device, server, (InetSocketAddress) server.getLocalAddress(), backlog);
        device.thread().serve(server, SelectionKey.OP_ACCEPT, listener);
        return listener;
      } catch (IOException | RuntimeException e) {
        server.close();
        throw e;
      }
    } catch (IOException e) {
      throw new VerbsException(VerbsException.Code.UNREACHABLE, "can't listen at " + local, e);
    }
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  public ConnectionRequest nextRequest(Deadline deadline) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waiting.isEmpty()) {
        long left = deadline.remainingNanos();
        if (closed || left <= 0) {
          return null;
        }
        changed.await(left, TimeUnit.NANOSECONDS);
      }
      return waiting.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Device thread: a connect came in whole. */
  void add(PassiveConnect request) {
    lock.lock();
    try {
      if (!closed && waiting.size() < backlog) {
        waiting.add(request);
        changed.signal();
        return;
      }
    } finally {
      lock.unlock();
    }
    request.reject(new byte[0]);
  }

  @Override
  public void ready(SelectionKey key) throws IOException {
    SocketChannel socket = server.accept();
    if (socket != null) {
      IncomingConnect incoming = new IncomingConnect(device, this, socket);
      device.thread().serve(socket, SelectionKey.OP_READ, incoming);
      incoming.expectFirstMessage();
    }
  }

  @Override
  public void failed(Exception cause) {
    LOG.debug("listener at {} ends", address, cause);
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("closing the listener at {}", address, e);
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    failed(new IOException("closed"));
    device.release(this);
    for (PassiveConnect request : waiting) {
      request.reject(new byte[0]);
    }
  }
}
