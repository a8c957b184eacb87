// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A completion channel: its waiters sleep in the kernel, on the channel's descriptor and on that of
 * nudges. Each wake-up, event raised here and interrupt writes one nudge, which whoever it is for
 * takes back.
 */
final class RdmaCompletionChannel implements CompletionChannel {
  private static final int MAX_WAIT_MILLIS = 60_000;
  private static final long YIELD_NANOS = 50_000;

  private final RdmaDevice device;
  private final long handle;
  private final InterruptedWait interruption = new InterruptedWait(this::interrupted);
  private final ConcurrentLinkedQueue<RdmaCompletionQueue> raised = new ConcurrentLinkedQueue<>();
  private final AtomicInteger wakeUps = new AtomicInteger();
  private final AtomicInteger interrupts = new AtomicInteger();
  private final AtomicInteger waiters = new AtomicInteger();
  private int queues;
  private volatile boolean closed;
  private boolean destroyed;

  RdmaCompletionChannel(RdmaDevice device) {
    this.device = device;
    this.handle =
        Failures.check(
            Native.channelCreate(device.handle()),
            "creating a completion channel on " + device.name());
  }

  @Override
  public CompletionQueue awaitEvent(Deadline deadline) throws InterruptedException {
    waiters.incrementAndGet();
    try {
      while (true) {
        if (Thread.interrupted()) {
          takeBack(interrupts);
          throw new InterruptedException();
        }
        if (closed) {
          return null;
        }
        RdmaCompletionQueue queue = raised.poll();
        if (queue != null) {
          calm();
          return queue;
        }
        if (takeBack(wakeUps)) {
          return null;
        }
        long fired = await(deadline);
        if (fired > 0 && device.object(fired) instanceof RdmaCompletionQueue known) {
          return known;
        }
        if (fired == Native.NUDGED && isExplained()) {
          continue;
        }
        if (deadline.hasPassed()) {
          return null;
        }
        if (fired == Native.NUDGED) {
          passOn();
        }
      }
    } finally {
      waiters.decrementAndGet();
    }
  }

  private long await(Deadline deadline) {
    int millis = (int) Math.min(deadline.remainingMillis(), MAX_WAIT_MILLIS);
    interruption.enter();
    try {
      long fired = Native.channelWait(handle, millis);
      if (fired == -Failures.EBADF && closed) {
        return 0;
      }
      return fired == Native.NUDGED ? fired : Failures.check(fired, "waiting on " + this);
    } finally {
      interruption.leave();
    }
  }

  /** Whether a nudge may have been for this waiter. */
  private boolean isExplained() {
    return closed
        || wakeUps.get() > 0
        || !raised.isEmpty()
        || Thread.currentThread().isInterrupted();
  }

  /**
   * A nudge that nothing explains: for another waiter, or of what is gone, be it an interrupt, a
   * queue that closed, or a wake-up that was seen before its nudge was there. What one waiter alone
   * can't explain nobody can.
   */
  private void passOn() {
    if (waiters.get() == 1) {
      interrupts.getAndUpdate(RdmaCompletionChannel::oneLess);
      calm();
    } else {
      LockSupport.parkNanos(YIELD_NANOS);
    }
  }

  /** Takes one of the counted nudges; false if there is none. */
  private boolean takeBack(AtomicInteger counted) {
    int before = counted.getAndUpdate(RdmaCompletionChannel::oneLess);
    if (before > 0) {
      calm();
    }
    return before > 0;
  }

  private static int oneLess(int count) {
    return Math.max(0, count - 1);
  }

  private void calm() {
    int result = Native.channelCalm(handle);
    if (result != -Failures.EAGAIN && !closed) {
      Failures.check(result, "waiting on " + this);
    }
  }

  private void nudge() {
    int result = Native.channelNudge(handle);
    if (!closed) {
      Failures.check(result, "waking a waiter of " + this);
    }
  }

  private void interrupted() {
    interrupts.incrementAndGet();
    nudge();
  }

  /** An event of {@code queue} that the device does not raise. */
  void raise(RdmaCompletionQueue queue) {
    raised.add(queue);
    nudge();
  }

  @Override
  public void wakeUp() {
    wakeUps.incrementAndGet();
    nudge();
  }

  /** Makes the native queue of a completion queue of this channel. */
  synchronized long createQueue(int depth) {
    long queue = Native.queueCreate(device.handle(), handle, depth);
    queues += queue > 0 ? 1 : 0;
    return queue;
  }

  /** A completion queue of this channel is gone. */
  void left(RdmaCompletionQueue queue) {
    raised.removeIf(queue::equals);
    synchronized (this) {
      queues--;
      destroyIfUnused();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      Failures.check(Native.channelNudge(handle), "closing " + this);
    }
    synchronized (this) {
      destroyIfUnused();
    }
  }

  private void destroyIfUnused() {
    if (closed && queues == 0 && !destroyed) {
      destroyed = true;
      Failures.check(Native.channelDestroy(handle), "closing " + this);
      device.release(this);
    }
  }

  @Override
  public String toString() {
    return "completion channel of " + device.name();
  }
}
