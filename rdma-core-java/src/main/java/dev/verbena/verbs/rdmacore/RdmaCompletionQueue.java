// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion queue. A queue pair that closes puts its completions aside here, since the device
 * may drop them with it; so there is a lock, which is free but then.
 */
final class RdmaCompletionQueue implements CompletionQueue {
  private final RdmaDevice device;
  private final RdmaCompletionChannel channel;
  private final long handle;
  private final ReentrantLock polling = new ReentrantLock();
  private final CompletionBatch batch = new CompletionBatch();
  private final ArrayDeque<WorkCompletion> aside = new ArrayDeque<>();
  private final Set<RdmaQueuePair> users = ConcurrentHashMap.newKeySet();
  private final AtomicInteger brokenUsers = new AtomicInteger();
  private volatile boolean armedForSolicited;
  private volatile boolean overrun;
  private boolean closed;

  RdmaCompletionQueue(RdmaDevice device, int depth, RdmaCompletionChannel channel) {
    this.device = device;
    this.channel = channel;
    this.handle =
        Failures.check(
            channel == null
                ? Native.queueCreate(device.handle(), 0, depth)
                : channel.createQueue(depth),
            "creating a completion queue of " + depth + " entries on " + device.name());
    device.enter(handle, this);
  }

  long handle() {
    return handle;
  }

  @Override
  public int poll(WorkCompletion[] into) {
    int filled = 0;
    polling.lock();
    try {
      requireUsable();
      while (filled < into.length && !aside.isEmpty()) {
        into[filled++].set(aside.poll());
      }
      boolean more = true;
      while (filled < into.length && more) {
        int wanted = Math.min(into.length - filled, CompletionBatch.SIZE);
        int taken = take(wanted);
        for (int i = 0; i < taken; i++) {
          filled += complete(i, into[filled]) ? 1 : 0;
        }
        more = taken == wanted;
      }
    } finally {
      polling.unlock();
    }
    return filled;
  }

  /** Takes all that is there, for later polls. */
  void putAside() {
    polling.lock();
    try {
      int taken;
      do {
        taken = overrun || closed ? 0 : take(CompletionBatch.SIZE);
        for (int i = 0; i < taken; i++) {
          WorkCompletion kept = new WorkCompletion();
          if (complete(i, kept)) {
            aside.add(kept);
          }
        }
      } while (taken == CompletionBatch.SIZE);
    } finally {
      polling.unlock();
    }
  }

  private int take(int wanted) {
    int taken = batch.poll(handle, wanted);
    if (taken < 0) {
      throw Failures.of(taken, "polling " + this);
    }
    return taken;
  }

  private boolean complete(int index, WorkCompletion into) {
    long id = batch.id(index);
    WorkQueue queue = device.workQueues().get(CompletionId.queue(id));
    return queue != null && queue.complete(CompletionId.request(id), batch, index, into);
  }

  private void requireUsable() {
    if (overrun) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES, this + " was overrun and can't be polled any more");
    }
    if (closed) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, this + " is closed");
    }
  }

  @Override
  public void requestNotification(boolean solicitedOnly) {
    if (channel == null) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, this + " has no channel");
    }
    // In this order: who breaks a queue pair counts it and then looks whether this is armed.
    armedForSolicited = solicitedOnly;
    int result = Native.queueArm(handle, solicitedOnly && brokenUsers.get() == 0);
    if (result < 0) {
      throw Failures.of(result, "arming " + this);
    }
  }

  void attach(RdmaQueuePair user) {
    users.add(user);
  }

  /**
   * A queue pair broke, whose flushed requests wake also those who wait for solicited completions.
   * Not each device counts them so: until the queue pair is gone all completions wake.
   */
  void broken() {
    brokenUsers.incrementAndGet();
    if (armedForSolicited && channel != null) {
      armedForSolicited = false;
      channel.raise(this);
    }
  }

  /** A queue pair that broke is gone. */
  void detach(RdmaQueuePair user) {
    brokenUsers.decrementAndGet();
    users.remove(user);
  }

  boolean isOverrun() {
    return overrun;
  }

  /** The device says that it lost completions. */
  void overrun() {
    overrun = true;
    device
        .events()
        .raise(new AsyncEvent.OfCompletionQueue(AsyncEvent.Type.COMPLETION_QUEUE_ERROR, this));
    users.forEach(RdmaQueuePair::failFatally);
    if (channel != null) {
      channel.raise(this);
    }
  }

  @Override
  public void close() {
    polling.lock();
    try {
      if (closed) {
        return;
      }
      Failures.check(Native.queueDestroy(handle), "closing " + this);
      closed = true;
    } finally {
      polling.unlock();
    }
    device.leave(handle);
    device.events().forget(this);
    device.release(this);
    if (channel != null) {
      channel.left(this);
    }
  }

  @Override
  public String toString() {
    return "completion queue of " + device.name();
  }
}
