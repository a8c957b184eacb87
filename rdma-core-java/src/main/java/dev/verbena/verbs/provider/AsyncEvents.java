// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.provider;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The asynchronous events of a device that were not taken yet. It can't outgrow the device's
 * objects: an event is held once, and goes with its object. Thread-safe.
 */
public final class AsyncEvents {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<AsyncEvent> raised = new ArrayDeque<>();
  private boolean closed;

  /** None is there yet. */
  public AsyncEvents() {}

  /** Adds an event, unless it is there, or the device closed. */
  public void raise(AsyncEvent event) {
    lock.lock();
    try {
      if (!closed && !raised.contains(event)) {
        raised.add(event);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Drops the events of an object that closes. */
  public void forget(AutoCloseable object) {
    lock.lock();
    try {
      raised.removeIf(event -> concerned(event) == object);
    } finally {
      lock.unlock();
    }
  }

  private static AutoCloseable concerned(AsyncEvent event) {
    if (event instanceof AsyncEvent.OfQueuePair of) {
      return of.queuePair();
    }
    if (event instanceof AsyncEvent.OfCompletionQueue of) {
      return of.queue();
    }
    return ((AsyncEvent.OfSharedReceiveQueue) event).queue();
  }

  /** The next event, or null if the deadline passed or the device closed. */
  public AsyncEvent await(Deadline deadline) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (raised.isEmpty()) {
        long left = deadline.remainingNanos();
        if (closed || left <= 0) {
          return null;
        }
        changed.await(left, TimeUnit.NANOSECONDS);
      }
      return raised.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Drops all events, and ends the waits for one. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      raised.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
