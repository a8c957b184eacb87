// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * An id of the connection manager, with its events. Until the connection stands, the thread that
 * connects or accepts takes them; from then on they go to the queue pair.
 */
final class Conversation implements AutoCloseable {
  private final RdmaDevice device;
  private final long id;
  private final ArrayDeque<ConnectionEvent> events = new ArrayDeque<>();
  private RdmaQueuePair connected;
  private boolean closed;

  private Conversation(RdmaDevice device, long id) {
    this.device = device;
    this.id = id;
  }

  /** Begins one of this end's own. */
  static Conversation begin(RdmaDevice device) {
    long id =
        Failures.check(
            Native.idCreate(device.handle()), "creating a connection on " + device.name());
    return of(device, id);
  }

  /** Event thread: one that a connect request began. */
  static Conversation of(RdmaDevice device, long id) {
    Conversation conversation = new Conversation(device, id);
    device.enter(id, conversation);
    return conversation;
  }

  long id() {
    return id;
  }

  /** Event thread: takes an event in. */
  void add(ConnectionEvent event) {
    RdmaQueuePair to;
    synchronized (this) {
      to = connected;
      if (to == null) {
        events.add(event);
        notifyAll();
      }
    }
    if (to != null) {
      to.connectionEvent(event);
    }
  }

  /**
   * Waits for the next event.
   *
   * @throws VerbsException TIMED_OUT at the deadline, DISCONNECTED if the thread is interrupted or
   *     the device closed
   */
  synchronized ConnectionEvent next(Deadline deadline, String what) {
    try {
      while (events.isEmpty()) {
        long left = deadline.remainingNanos();
        if (closed) {
          throw new VerbsException(
              VerbsException.Code.DISCONNECTED, what + ": " + device.name() + " was closed");
        }
        if (left <= 0) {
          throw new VerbsException(
              VerbsException.Code.TIMED_OUT, what + ": no answer before the deadline");
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
      return events.poll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VerbsException(
          VerbsException.Code.DISCONNECTED, what + ": interrupted while waiting", e);
    }
  }

  /** From now on events go to the queue pair, also those that came already. */
  void connected(RdmaQueuePair queuePair) {
    ArrayDeque<ConnectionEvent> early;
    synchronized (this) {
      connected = queuePair;
      early = new ArrayDeque<>(events);
      events.clear();
    }
    early.forEach(queuePair::connectionEvent);
  }

  /** Whether the peer went away, as far as events told; for requests that nobody answered. */
  synchronized boolean isOver() {
    return events.stream().anyMatch(event -> event.type() != ConnectionEvent.Type.ESTABLISHED);
  }

  /** Ends what there is: a connect that waits, a connection. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      notifyAll();
    }
    device.leave(id);
    Failures.check(Native.idDestroy(id), "ending a connection of " + device.name());
  }
}
