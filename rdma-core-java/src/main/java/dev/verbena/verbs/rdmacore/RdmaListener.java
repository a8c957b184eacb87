// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening id. Requests that come in by another device's port are declined. */
final class RdmaListener implements Listener {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaListener.class);
  private static final byte[] NOTHING = {};

  private final RdmaDevice device;
  private final Conversation conversation;
  private final InetSocketAddress address;
  private final int backlog;
  private final ArrayDeque<PassiveConnect> waiting = new ArrayDeque<>();
  private boolean closed;

  private RdmaListener(
      RdmaDevice device, Conversation conversation, InetSocketAddress address, int backlog) {
    this.device = device;
    this.conversation = conversation;
    this.address = address;
    this.backlog = backlog;
  }

  static RdmaListener open(RdmaDevice device, InetSocketAddress local, int backlog) {
    Conversation conversation = Conversation.begin(device);
    boolean opened = false;
    try {
      RdmaListener listener = open(device, conversation, local, backlog);
      opened = true;
      return listener;
    } finally {
      if (!opened) {
        conversation.close();
      }
    }
  }

  private static RdmaListener open(
      RdmaDevice device, Conversation conversation, InetSocketAddress local, int backlog) {
    long id = conversation.id();
    ByteBuffer bytes = NativeMemory.buffer(AddressLayout.SIZE);
    AddressLayout.write(bytes, 0, local);
    String what = "listening at " + local;
    Failures.check(Native.idBind(id, NativeMemory.address(bytes)), what);
    if (!local.getAddress().isAnyLocalAddress()
        && Failures.check(Native.idIsOn(id, device.handle()), what) == 0) {
      throw new VerbsException(
          VerbsException.Code.UNREACHABLE, what + ": it is no address of " + device.name());
    }
    Failures.check(Native.idAddress(id, NativeMemory.address(bytes)), what);
    RdmaListener listener =
        new RdmaListener(device, conversation, AddressLayout.read(bytes, 0), backlog);
    // Before the first request can come.
    device.enter(id, listener);
    Failures.check(Native.idListen(id, backlog), what);
    return listener;
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  /** Event thread: a connect came in. */
  void add(ConnectionEvent request) {
    Conversation of = Conversation.of(device, request.newId());
    PassiveConnect connect = new PassiveConnect(device, request, of);
    if (!request.onThisDevice()) {
      LOG.warn("{} came in to {} by way of another device", request.remote(), device.name());
      connect.reject(NOTHING);
      return;
    }
    synchronized (this) {
      if (!closed && waiting.size() < backlog) {
        waiting.add(connect);
        notifyAll();
        return;
      }
    }
    connect.reject(NOTHING);
  }

  @Override
  public synchronized ConnectionRequest nextRequest(Deadline deadline) throws InterruptedException {
    while (waiting.isEmpty()) {
      long left = deadline.remainingNanos();
      if (closed || left <= 0) {
        return null;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return waiting.poll();
  }

  @Override
  public void close() {
    List<PassiveConnect> untaken;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      untaken = List.copyOf(waiting);
      waiting.clear();
      notifyAll();
    }
    conversation.close();
    device.release(this);
    untaken.forEach(request -> request.reject(NOTHING));
  }
}
