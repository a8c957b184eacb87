// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The asynchronous events of a device that the application has not taken. Bounded by the device's
 * objects: an event is held once, and goes with its object.
 */
final class RaisedEvents {
  private final ArrayDeque<AsyncEvent> raised = new ArrayDeque<>();
  private boolean closed;

  synchronized void raise(AsyncEvent event) {
    if (!closed && !raised.contains(event)) {
      raised.add(event);
      notifyAll();
    }
  }

  /** Drops the events of an object that closes. */
  synchronized void forget(AutoCloseable object) {
    raised.removeIf(event -> concerns(event, object));
  }

  private static boolean concerns(AsyncEvent event, AutoCloseable object) {
    return switch (event.type()) {
      case COMPLETION_QUEUE_ERROR -> ((AsyncEvent.OfCompletionQueue) event).queue() == object;
      case SHARED_RECEIVE_LIMIT_REACHED ->
          ((AsyncEvent.OfSharedReceiveQueue) event).queue() == object;
      default -> ((AsyncEvent.OfQueuePair) event).queuePair() == object;
    };
  }

  /** The next event, or null if the deadline passed or the device closed. */
  synchronized AsyncEvent await(Deadline deadline) throws InterruptedException {
    while (raised.isEmpty()) {
      long left = deadline.remainingNanos();
      if (closed || left <= 0) {
        return null;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return raised.poll();
  }

  synchronized void close() {
    closed = true;
    raised.clear();
    notifyAll();
  }
}
