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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A listening TCP socket; connects and tcp data connections of peers come in here. It outlives
 * {@link #close} until the requests that were taken are answered, since an accepted peer may still
 * have to open its data connection.
 */
final class SoftListener implements Listener {
  private final SoftDevice device;
  private final Acceptor acceptor;
  private final InetSocketAddress address;
  private final int backlog;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<PassiveConnect> waiting = new ArrayDeque<>();
  private int unanswered;
  private boolean closed;

  private SoftListener(
      SoftDevice device, ServerSocketChannel server, InetSocketAddress address, int backlog) {
    this.device = device;
    this.acceptor =
        new Acceptor(device.thread(), server, "the listener at " + address, this::takeIn);
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
        listener.acceptor.start();
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
      unanswered++;
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
    request.refuse(new byte[0]);
  }

  /** A request that was taken is accepted or rejected. */
  void answered() {
    boolean last;
    lock.lock();
    try {
      unanswered--;
      last = closed && unanswered == 0;
    } finally {
      lock.unlock();
    }
    if (last) {
      closeServer();
    }
  }

  /** Device thread: a peer connects. */
  private void takeIn(SocketChannel socket) {
    IncomingConnect incoming = new IncomingConnect(device, this, socket);
    device.thread().serve(socket, SelectionKey.OP_READ, incoming);
    incoming.expectFirstMessage();
  }

  @Override
  public void close() {
    List<PassiveConnect> untaken;
    boolean last;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      untaken = List.copyOf(waiting);
      waiting.clear();
      last = unanswered == 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (last) {
      closeServer();
    }
    device.release(this);
    untaken.forEach(request -> request.refuse(new byte[0]));
  }

  private void closeServer() {
    acceptor.close();
    device.thread().flushClosed();
  }
}
