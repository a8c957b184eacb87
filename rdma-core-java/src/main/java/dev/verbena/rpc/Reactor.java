// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.Device;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The completion queues that share a channel, and who polls them. One thread at a time is the
 * <em>leader</em>: it polls all queues that are not armed, and sleeps on the channel once all are.
 * A waiting caller first polls its own queue for a while, and leads after that if nobody does; that
 * saves the hand-over from a polling thread. Callers that find a leader park and are woken by it; a
 * leader that leaves makes one of them the next. {@link ReactorThread} leads when no caller does.
 */
final class Reactor {
  private final CompletionChannel channel;
  private final WaitStrategy waiting;
  private final boolean callersLead;
  private final AtomicReference<Thread> leader = new AtomicReference<>();
  private final ConcurrentLinkedQueue<PolledQueue> added = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<PolledQueue> removed = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final CopyOnWriteArrayList<Timed> timed = new CopyOnWriteArrayList<>();
  private final ArrayDeque<Awaited> followers = new ArrayDeque<>();
  private final AtomicInteger unattended = new AtomicInteger();
  private final AtomicInteger callerWaits = new AtomicInteger();
  private volatile long nextTimer = System.nanoTime() + TimeUnit.DAYS.toNanos(1);

  /** For the leader only. */
  private final IdentityHashMap<CompletionQueue, PolledQueue> queues = new IdentityHashMap<>();

  /** Queues that are not armed; for the leader only. */
  private final ArrayList<PolledQueue> active = new ArrayList<>();

  private volatile Thread thread;

  /**
   * Creates a reactor.
   *
   * @param callersLead whether waiting callers may lead; else the reactor's thread always does
   */
  Reactor(Device device, WaitStrategy waiting, boolean callersLead) {
    this.channel = device.createCompletionChannel();
    this.waiting = waiting;
    this.callersLead = callersLead;
  }

  CompletionChannel channel() {
    return channel;
  }

  boolean callersLead() {
    return callersLead;
  }

  /** Begins to poll a queue. */
  void add(PolledQueue queue) {
    added.add(queue);
    wakeLeader();
  }

  /** Forgets a queue that is retired. */
  void remove(PolledQueue queue) {
    removed.add(queue);
  }

  /** Begins to ask for deadlines. */
  void add(Timed what) {
    timed.add(what);
  }

  void remove(Timed what) {
    timed.remove(what);
  }

  boolean isReactorThread() {
    return Thread.currentThread() == thread;
  }

  /** Runs something on the reactor's thread, soon. */
  void execute(Runnable task) {
    tasks.add(task);
    wakeThread();
  }

  /** Makes sure that {@link Timed#expire} is called when that time has come. */
  void timerAt(long nanoTime) {
    if (nanoTime - nextTimer < 0) {
      synchronized (timed) {
        if (nanoTime - nextTimer >= 0) {
          return;
        }
        nextTimer = nanoTime;
      }
      wakeThread();
    }
  }

  /** An operation is open that no caller waits for. */
  void beginUnattended() {
    if (unattended.incrementAndGet() > 0 && leader.get() == null) {
      LockSupport.unpark(thread);
    }
  }

  /** It is done. */
  void endUnattended() {
    unattended.decrementAndGet();
  }

  boolean hasUnattended() {
    return unattended.get() > 0;
  }

  /** Changes with each wait of a caller. */
  int callerWaits() {
    return callerWaits.get();
  }

  /** Tells the thread that waits for {@code what} to look again. */
  void wake(Awaited what) {
    Thread waiter = what.waiting();
    if (waiter == null || waiter == Thread.currentThread()) {
      return;
    }
    LockSupport.unpark(waiter);
    if (leader.get() == waiter) {
      channel.wakeUp();
    }
  }

  /**
   * Waits until {@code what} is done or the deadline has passed.
   *
   * @param queue where the completion arrives that makes it true
   * @throws IllegalStateException if called while handling a completion
   */
  void await(Awaited what, PolledQueue queue, Deadline deadline) throws InterruptedException {
    if (queue.isClaimedByMe() || Thread.currentThread() == thread) {
      throw new IllegalStateException("a completion callback or inline handler must not wait");
    }
    callerWaits.lazySet(callerWaits.get() + 1);
    what.begin();
    try {
      int patience = waiting.spins() + waiting.yields();
      int idle = 0;
      while (!what.isDone()) {
        if (queue.poll() > 0) {
          idle = 0;
        } else if (idle < patience) {
          relax(idle++);
        } else if (deadline.hasPassed()) {
          return;
        } else if (callersLead && tryLead()) {
          lead(what, deadline);
        } else {
          follow(what, deadline);
        }
      }
    } finally {
      what.end();
    }
  }

  /** One step of a busy wait. */
  void relax(int step) {
    if (step < waiting.spins()) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }

  int patience() {
    return waiting.spins() + waiting.yields();
  }

  boolean tryLead() {
    return leader.get() == null && leader.compareAndSet(null, Thread.currentThread());
  }

  /** Ends to lead and makes a follower the next leader, or the reactor's thread if need be. */
  void stopLeading() {
    leader.set(null);
    Awaited next;
    synchronized (followers) {
      next = followers.peek();
    }
    if (callersLead && next != null) {
      next.unpark();
    } else if (hasUnattended() && Thread.currentThread() != thread) {
      LockSupport.unpark(thread);
    }
  }

  /** Polls every queue that is not armed; for the leader. Returns the completions handled. */
  int pollActive() {
    adoptAdded();
    int handled = 0;
    for (int i = active.size() - 1; i >= 0; i--) {
      PolledQueue queue = active.get(i);
      if (queue.isRetired()) {
        active.remove(i);
      } else {
        handled += queue.poll();
      }
    }
    return handled;
  }

  /**
   * Arms what is not armed, and sleeps until an event, {@link #wakeLeader} or the deadline; for the
   * leader.
   */
  void sleep(Deadline deadline) throws InterruptedException {
    int handled = 0;
    for (int i = 0; i < active.size(); i++) {
      handled += active.get(i).armAndPoll();
    }
    if (handled > 0 || !added.isEmpty()) {
      return;
    }
    for (int i = 0; i < active.size(); i++) {
      active.get(i).setActive(false);
    }
    active.clear();
    CompletionQueue fired = channel.awaitEvent(deadline);
    PolledQueue queue = fired == null ? null : queues.get(fired);
    if (queue != null && !queue.isActive()) {
      queue.setActive(true);
      active.add(queue);
    }
  }

  /** Runs what was given to {@link #execute}; for the reactor's thread. */
  boolean runTasks() {
    boolean any = false;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      any = true;
    }
    return any;
  }

  boolean hasTasks() {
    return !tasks.isEmpty();
  }

  /** Ends what has passed its deadline; for the reactor's thread. */
  void runTimers() {
    long now = System.nanoTime();
    if (now - nextTimer < 0) {
      return;
    }
    synchronized (timed) {
      nextTimer = now + TimeUnit.DAYS.toNanos(1);
    }
    long next = Timed.NEVER;
    for (Timed what : timed) {
      next = Math.min(next, what.expire(now));
    }
    if (next != Timed.NEVER) {
      // Coarse on purpose: a scan costs as much as there are open calls.
      timerAt(now + Math.max(next, TimeUnit.MILLISECONDS.toNanos(1)));
    }
  }

  Deadline nextTimer() {
    return new Deadline(nextTimer);
  }

  void attach(Thread reactorThread) {
    thread = reactorThread;
  }

  void wakeThread() {
    Thread target = thread;
    LockSupport.unpark(target);
    if (leader.get() == target && target != Thread.currentThread()) {
      channel.wakeUp();
    }
  }

  private void wakeLeader() {
    Thread target = leader.get();
    if (target != null && target != Thread.currentThread()) {
      channel.wakeUp();
    }
    LockSupport.unpark(thread);
  }

  private void lead(Awaited what, Deadline deadline) throws InterruptedException {
    try {
      while (!what.isDone() && !deadline.hasPassed()) {
        if (pollActive() == 0 && !what.isDone()) {
          sleep(deadline);
        }
      }
    } finally {
      stopLeading();
    }
  }

  private void follow(Awaited what, Deadline deadline) throws InterruptedException {
    synchronized (followers) {
      followers.add(what);
    }
    try {
      boolean nobodyLeads = leader.get() == null && callersLead;
      if (!nobodyLeads && !what.isDone()) {
        LockSupport.parkNanos(this, deadline.remainingNanos());
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      synchronized (followers) {
        followers.remove(what);
      }
    }
  }

  private void adoptAdded() {
    for (PolledQueue queue = added.poll(); queue != null; queue = added.poll()) {
      queues.put(queue.queue(), queue);
      queue.setActive(true);
      active.add(queue);
    }
    for (PolledQueue queue = removed.poll(); queue != null; queue = removed.poll()) {
      queues.remove(queue.queue());
    }
  }
}
