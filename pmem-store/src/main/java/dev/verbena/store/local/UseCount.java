// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.StoreException;
import dev.verbena.time.Deadline;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts who uses the pools' mappings, so that closing can wait for them: unmapping under a user
 * would end the JVM. Thread-safe.
 */
final class UseCount {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private long users;
  private boolean closed;

  /** Begins a use, or throws CLOSED. */
  void enter() {
    lock.lock();
    try {
      if (closed) {
        throw new StoreException(StoreException.Code.CLOSED, "the store is closed");
      }
      users++;
    } finally {
      lock.unlock();
    }
  }

  /** Ends a use. */
  void exit() {
    lock.lock();
    try {
      users--;
      if (users == 0) {
        idle.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets nobody in any more; false if that was so already. */
  boolean close() {
    lock.lock();
    try {
      boolean first = !closed;
      closed = true;
      return first;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until nobody is in and returns 0, or how many are still in at the deadline. */
  long awaitIdle(Deadline deadline) {
    lock.lock();
    try {
      while (users > 0) {
        long left = deadline.remainingNanos();
        if (left <= 0) {
          return users;
        }
        try {
          idle.await(left, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return users;
        }
      }
      return 0;
    } finally {
      lock.unlock();
    }
  }
}
