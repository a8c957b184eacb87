// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Where threads sleep until an armed queue fires. Only the slow path comes here. */
final class SoftCompletionChannel implements CompletionChannel {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<CompletionQueue> fired = new ArrayDeque<>();
  private int wakeUps;
  private boolean closed;

  /** Queues an event of {@code queue}, once however often it fires before it is taken. */
  void fire(CompletionQueue queue) {
    lock.lock();
    try {
      if (!fired.contains(queue)) {
        fired.add(queue);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Drops events of a queue that is closing. */
  void forget(CompletionQueue queue) {
    lock.lock();
    try {
      fired.remove(queue);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CompletionQueue awaitEvent(Deadline deadline) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        if (!fired.isEmpty()) {
          return fired.poll();
        }
        if (wakeUps > 0) {
          wakeUps--;
          return null;
        }
        long left = deadline.remainingNanos();
        if (closed || left <= 0) {
          return null;
        }
        changed.await(left, TimeUnit.NANOSECONDS);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wakeUp() {
    lock.lock();
    try {
      wakeUps++;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
