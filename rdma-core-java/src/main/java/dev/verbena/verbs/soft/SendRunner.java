// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionStatus;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who runs the send queue of one queue pair, and when: posters, pollers and the device thread try
 * for the run claim, and its holder is the processing unit.
 */
final class SendRunner {
  private static final Logger LOG = LoggerFactory.getLogger(SendRunner.class);

  private final SoftQueuePair queuePair;
  private final SoftDevice device;
  private final SoftCompletionQueue completions;
  private final SpinClaim claim = new SpinClaim();
  private final AtomicBoolean inRedriveList = new AtomicBoolean();
  private final AtomicBoolean drainAwaited = new AtomicBoolean();
  private volatile boolean stalled;
  private volatile boolean outOfBudget;

  /**
   * Whether whoever runs the queue may run requests of others. Faults on truncated memory are held
   * back by the JVM for the thread that copied, which then is not the one to know. Under the claim.
   */
  private boolean forOthers;

  /** Set while no request may begin: the queue drains. */
  private volatile boolean held;

  /** Set once {@link #retire} has the claim, which it keeps: nobody runs the queue any more. */
  private volatile boolean retired;

  SendRunner(SoftQueuePair queuePair, SoftDevice device, SoftCompletionQueue completions) {
    this.queuePair = queuePair;
    this.device = device;
    this.completions = completions;
  }

  SpinClaim claim() {
    return claim;
  }

  /**
   * Runs the send queue, unless someone else is at it: they look at the doorbell once more after
   * they let go.
   */
  void drive() {
    drive(false);
  }

  private void drive(boolean othersRequests) {
    Connection to = queuePair.connection();
    boolean others = othersRequests;
    while (queuePair.isReady() && claim.tryClaim()) {
      Progress progress;
      try {
        forOthers = others;
        progress = queuePair.isReady() ? run(to) : Progress.BROKEN;
        outOfBudget = progress == Progress.OUT_OF_BUDGET;
        setStalled(isStall(progress));
        tellIfDrained(to);
      } finally {
        claim.release();
      }
      if (progress != Progress.IDLE || held || !to.hasMore()) {
        return;
      }
      others = true;
    }
  }

  /** Within a run, after an access: sees that no other thread's request succeeds on lost memory. */
  void requireWhole(RegionAccess access) {
    if (forOthers) {
      access.requireWhole();
    }
  }

  boolean isForOthers() {
    return forOthers;
  }

  private Progress run(Connection to) {
    try {
      return to.run();
    } catch (InternalError | RuntimeException e) {
      LOG.error("queue pair {} failed while running its send queue", queuePair.number(), e);
      to.letGo();
      if (queuePair.sendQueue().hasWork()) {
        queuePair.failSend(CompletionStatus.GENERAL_ERROR);
      } else {
        queuePair.breakConnection();
      }
      return Progress.BROKEN;
    }
  }

  private static boolean isStall(Progress progress) {
    return progress != Progress.IDLE && progress != Progress.BROKEN;
  }

  /** Called under the claim. A stalled queue is run on by polls and by the device thread. */
  private void setStalled(boolean now) {
    if (now != stalled) {
      stalled = now;
      completions.addStalled(now ? 1 : -1);
      if (now) {
        device.thread().redriveSoon(queuePair);
      }
    }
  }

  boolean redriveIfStalled() {
    if (stalled) {
      drive(true);
    }
    return stalled && queuePair.isReady();
  }

  /** Whether the engine stopped only because one call may not copy more. */
  boolean isOutOfBudget() {
    return outOfBudget;
  }

  /** Whether the caller should add the queue pair to the device thread's list. */
  boolean enterRedriveList() {
    return inRedriveList.compareAndSet(false, true);
  }

  void leaveRedriveList() {
    inRedriveList.set(false);
  }

  /** Whether requests that have not begun must wait. */
  boolean isHeld() {
    return held;
  }

  /** Lets no further request begin, and tells by an event once those that began are done. */
  void hold() {
    held = true;
    drainAwaited.set(true);
    Connection to = queuePair.connection();
    if (claimRun()) {
      try {
        tellIfDrained(to);
      } finally {
        claim.release();
      }
    }
  }

  /** Goes on after {@link #hold}. */
  void letGo() {
    drainAwaited.set(false);
    held = false;
    drive();
  }

  /** Called under the claim. */
  private void tellIfDrained(Connection to) {
    if (held && queuePair.isReady() && to.isDrained() && drainAwaited.compareAndSet(true, false)) {
      queuePair.raise(AsyncEvent.Type.SEND_QUEUE_DRAINED);
    }
  }

  /** Waits for the claim; false if the queue pair closes, which takes it for good. */
  boolean claimRun() {
    while (!claim.tryClaim()) {
      if (retired) {
        return false;
      }
      Thread.yield();
    }
    return true;
  }

  /** Waits until whoever runs the send queue has let go once. */
  void quiesce() {
    if (claimRun()) {
      claim.release();
      // Who posted meanwhile was refused the claim, and counts on its holder.
      drive();
    }
  }

  /** The queue pair closes: takes the claim for good. */
  void retire() {
    claim.claim();
    retired = true;
    setStalled(false);
  }
}
