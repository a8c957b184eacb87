// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A completion queue: the set of the lanes of its queue pairs, polled in turn, and an armed word in
 * the device area that every producer looks at after publishing.
 */
final class SoftCompletionQueue implements CompletionQueue {
  private static final int DRAIN_BATCH = 64;

  private final SoftDevice device;
  private final int number;
  private final SoftCompletionChannel channel;
  private final MappedMemory deviceArea;
  private final long armedWord;
  private final SpinClaim claim = new SpinClaim();
  private final AtomicBoolean requested = new AtomicBoolean();
  private final AtomicInteger stalled = new AtomicInteger();
  private final int depth;
  private volatile CompletionSource[] sources = {};

  /** Whether the work queues can have more completions outstanding than there are entries. */
  private volatile boolean canOverrun;

  private volatile boolean overrun;
  private int next;

  /** What queue pairs that closed left behind; changed under the claim. */
  private final ArrayDeque<WorkCompletion> left = new ArrayDeque<>();

  SoftCompletionQueue(SoftDevice device, int number, int depth, SoftCompletionChannel channel) {
    this.device = device;
    this.number = number;
    this.depth = depth;
    this.channel = channel;
    this.deviceArea = device.area();
    this.armedWord = DeviceAreaLayout.armedWord(number);
    deviceArea.putLongRelease(armedWord, DeviceAreaLayout.DISARMED);
  }

  int number() {
    return number;
  }

  @Override
  public int poll(WorkCompletion[] into) {
    int count = pollLanes(into);
    if (count == 0 && stalled.get() > 0) {
      for (CompletionSource source : sources) {
        source.redrive();
      }
      count = pollLanes(into);
    }
    return count;
  }

  private int pollLanes(WorkCompletion[] into) {
    int count = 0;
    claim.claim();
    try {
      requireNoOverrun();
      while (count < into.length && !left.isEmpty()) {
        into[count++].set(left.remove());
      }
      CompletionSource[] all = sources;
      for (int i = 0; i < all.length && count < into.length; i++) {
        if (next >= all.length) {
          next = 0;
        }
        count = all[next++].poll(into, count);
      }
    } finally {
      claim.release();
    }
    return count;
  }

  private void requireNoOverrun() {
    if (overrun) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES,
          "completion queue " + number + " was overrun: it has " + depth + " entries");
    }
  }

  /**
   * Looks whether more completions are outstanding than there are entries; if so, the queue and its
   * queue pairs fail. Else each lane gets a mark such that this can't happen before one of them is
   * reached.
   */
  void checkBound() {
    if (canOverrun && !overrun && isOverrun()) {
      overrun = true;
      device
          .events()
          .raise(new AsyncEvent.OfCompletionQueue(AsyncEvent.Type.COMPLETION_QUEUE_ERROR, this));
      Arrays.stream(sources)
          .map(CompletionSource::queuePair)
          .distinct()
          .forEach(SoftQueuePair::failFatally);
    }
  }

  private boolean isOverrun() {
    claim.claim();
    try {
      boolean passed;
      do {
        long free = depth;
        for (CompletionSource source : sources) {
          free -= source.count();
        }
        if (free < 0) {
          return true;
        }
        long ahead = free / Math.max(1, sources.length) + 1;
        passed = false;
        for (CompletionSource source : sources) {
          passed |= source.setMark(ahead);
        }
      } while (passed);
      return false;
    } finally {
      claim.release();
    }
  }

  /** Called under the claim when the set of lanes changed. */
  private void boundChanged() {
    long most = 0;
    for (CompletionSource source : sources) {
      most += source.capacity();
    }
    canOverrun = most > depth;
    if (!canOverrun) {
      for (CompletionSource source : sources) {
        source.clearMark();
      }
    }
  }

  @Override
  public void requestNotification(boolean solicitedOnly) {
    if (channel == null) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, "completion queue " + number + " has no channel");
    }
    long armed = solicitedOnly ? DeviceAreaLayout.ARMED_SOLICITED : DeviceAreaLayout.ARMED_ANY;
    deviceArea.putLongRelease(armedWord, armed);
    requested.set(true);
    // Behind both: whoever disarmed before the request was there is seen to have done so.
    Fences.full();
    if (!isArmed()) {
      fireIfRequested();
    } else if (!solicitedOnly && hasCompletion()) {
      disarmAndFire();
    }
  }

  private boolean isArmed() {
    return deviceArea.getLongAcquire(armedWord) != DeviceAreaLayout.DISARMED;
  }

  private boolean hasCompletion() {
    claim.claim();
    try {
      if (!left.isEmpty()) {
        return true;
      }
      for (CompletionSource source : sources) {
        if (source.hasCompletion()) {
          return true;
        }
      }
      return false;
    } finally {
      claim.release();
    }
  }

  /**
   * A completion was added by this process: publish came before, so fence and look at the armed
   * word. Peers do the same in Responder. What the caller looks at next is behind the fence too.
   */
  void completionAdded(boolean solicited) {
    Fences.full();
    if (channel == null) {
      return;
    }
    long armed = deviceArea.getLongAcquire(armedWord);
    if (armed == DeviceAreaLayout.ARMED_ANY
        || (armed == DeviceAreaLayout.ARMED_SOLICITED && solicited)) {
      disarmAndFire();
    }
  }

  private void disarmAndFire() {
    long armed = deviceArea.getLongAcquire(armedWord);
    if (armed != DeviceAreaLayout.DISARMED
        && deviceArea.compareAndSetLong(armedWord, armed, DeviceAreaLayout.DISARMED)) {
      fireIfRequested();
    }
  }

  private void fireIfRequested() {
    if (requested.compareAndSet(true, false)) {
      channel.fire(this);
    }
  }

  /** Device thread: a peer said it woke somebody; fires if a peer disarmed this queue. */
  void fireIfDisarmed() {
    if (channel != null && requested.get() && !isArmed()) {
      fireIfRequested();
    }
  }

  /** Runs what must not meet a poll. */
  void runBetweenPolls(Runnable action) {
    claim.claim();
    try {
      action.run();
    } finally {
      claim.release();
    }
  }

  void attach(CompletionSource source) {
    claim.claim();
    try {
      CompletionSource[] more = Arrays.copyOf(sources, sources.length + 1);
      more[sources.length] = source;
      sources = more;
      boundChanged();
    } finally {
      claim.release();
    }
    checkBound();
  }

  /**
   * Takes what is left out of the source of a queue pair that closes, to be polled later. When it
   * returns no poll is inside the source, and none will be.
   */
  void detach(CompletionSource source) {
    claim.claim();
    try {
      WorkCompletion[] batch = WorkCompletion.array(DRAIN_BATCH);
      int count;
      while ((count = source.drain(batch)) > 0) {
        left.addAll(Arrays.asList(batch).subList(0, count));
        batch = WorkCompletion.array(DRAIN_BATCH);
      }
      sources =
          Arrays.stream(sources).filter(other -> other != source).toArray(CompletionSource[]::new);
      boundChanged();
    } finally {
      claim.release();
    }
    checkBound();
    completionAdded(true);
  }

  /** Counts send queues that wait for a poll to run them on. */
  void addStalled(int change) {
    stalled.addAndGet(change);
  }

  @Override
  public void close() {
    if (sources.length > 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE,
          "completion queue " + number + " is used by " + sources.length + " work queues");
    }
    if (channel != null) {
      channel.forget(this);
    }
    device.release(this);
    device.events().forget(this);
  }
}
