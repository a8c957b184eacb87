// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A completion queue that any thread may poll, one at a time: the one that has claimed it. The
 * claim is tried, never waited for, except to arm or to retire the queue.
 */
final class PolledQueue {
  /** Takes the completions; called by the thread that holds the claim. */
  interface Handler {
    /** Handles one completion. */
    void completed(WorkCompletion completion);

    /**
     * What was taken out has been handled.
     *
     * @param empty whether there was no more
     */
    void drained(boolean empty);

    /** A handler threw or the queue itself failed; the connection can't go on. */
    void broken(Throwable cause);
  }

  private static final int BATCH = 16;
  private static final VarHandle OWNER;

  static {
    try {
      OWNER = MethodHandles.lookup().findVarHandle(PolledQueue.class, "owner", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CompletionQueue queue;
  private final Handler handler;
  private final WorkCompletion[] batch = WorkCompletion.array(BATCH);

  @SuppressWarnings("unused") // by its VarHandle
  private volatile Thread owner;

  private volatile boolean retired;

  /** Whether the last batch was full; under the claim. */
  private boolean mayHoldMore;

  /** Whether it is on the list of queues to poll; for the leader of the reactor only. */
  private boolean active;

  PolledQueue(CompletionQueue queue, Handler handler) {
    this.queue = queue;
    this.handler = handler;
  }

  /** Handles what is there, up to a batch; 0 if there is nothing or another thread is at it. */
  int poll() {
    if (!tryClaim()) {
      return 0;
    }
    try {
      return retired ? 0 : pollClaimed();
    } finally {
      owner = null;
    }
  }

  /**
   * Arms the queue, and polls once more: what came before arming is handled, what comes after
   * raises an event.
   *
   * @return completions handled
   */
  int armAndPoll() {
    if (isClaimedByMe()) {
      return 0;
    }
    while (!tryClaim()) {
      if (retired) {
        return 0;
      }
      Thread.yield();
    }
    try {
      if (retired) {
        return 0;
      }
      try {
        queue.requestNotification(false);
      } catch (RuntimeException e) {
        handler.broken(e);
        return 0;
      }
      return pollClaimed();
    } finally {
      owner = null;
    }
  }

  /**
   * Takes the queue out of use: when this returns true nobody polls it, or will.
   *
   * @return false if a handler did not let go of it by the deadline
   */
  boolean retire(Deadline deadline) {
    retired = true;
    while (!tryClaim()) {
      if (deadline.hasPassed()) {
        return false;
      }
      Thread.yield();
    }
    return true;
  }

  boolean isRetired() {
    return retired;
  }

  boolean isClaimedByMe() {
    return owner == Thread.currentThread();
  }

  CompletionQueue queue() {
    return queue;
  }

  boolean isActive() {
    return active;
  }

  void setActive(boolean now) {
    active = now;
  }

  private boolean tryClaim() {
    return owner == null && OWNER.compareAndSet(this, null, Thread.currentThread());
  }

  private int pollClaimed() {
    try {
      int count = queue.poll(batch);
      for (int i = 0; i < count; i++) {
        handler.completed(batch[i]);
      }
      boolean full = count == BATCH;
      if (count > 0 || mayHoldMore) {
        mayHoldMore = full;
        handler.drained(!full);
      }
      return count;
    } catch (RuntimeException | Error e) {
      handler.broken(e);
      return 0;
    }
  }
}
