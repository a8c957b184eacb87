// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a {@link Reactor}: runs its tasks and deadlines, and leads while no caller does.
 *
 * <p>While callers come and go it stays out of their way: it looks in only from time to time, at
 * most {@link #LONGEST_LEASE_NANOS} apart, so that a caller finds the lead free. Once none has come
 * for that time it leads and sleeps on the channel, which costs nothing.
 */
final class ReactorThread implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ReactorThread.class);
  private static final long SHORTEST_LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(16);

  private final Reactor reactor;
  private final Thread thread;
  private long lease = SHORTEST_LEASE_NANOS;
  private int callerWaitsSeen;
  private int idle;
  private volatile boolean running = true;

  private ReactorThread(Reactor reactor, String name) {
    this.reactor = reactor;
    this.thread = new Thread(this, name);
    thread.setDaemon(true);
  }

  static ReactorThread start(Reactor reactor, String name) {
    ReactorThread it = new ReactorThread(reactor, name);
    reactor.attach(it.thread);
    it.thread.start();
    return it;
  }

  @Override
  public void run() {
    while (running) {
      try {
        doWork();
      } catch (InterruptedException e) {
        LOG.warn("{} was interrupted; only closing ends it", thread.getName());
      } catch (RuntimeException | Error e) {
        // An Error too: without this thread some would wait for ever.
        LOG.error("{} goes on after an unexpected failure", thread.getName(), e);
      }
    }
    reactor.runTasks();
    reactor.channel().close();
  }

  private void doWork() throws InterruptedException {
    reactor.runTasks();
    reactor.runTimers();
    boolean callersCame = true;
    if (isWanted() && reactor.tryLead()) {
      try {
        callersCame = lead();
      } finally {
        reactor.stopLeading();
      }
    }
    if (callersCame && running && !reactor.hasTasks()) {
      LockSupport.parkNanos(this, Math.min(lease, reactor.nextTimer().remainingNanos()));
      lease = Math.min(lease * 2, LONGEST_LEASE_NANOS);
    }
  }

  /** Leads until there is something else to do, or, which it returns, callers have come. */
  private boolean lead() throws InterruptedException {
    lease = SHORTEST_LEASE_NANOS;
    while (running && !reactor.hasTasks() && !reactor.nextTimer().hasPassed()) {
      if (reactor.pollActive() > 0) {
        idle = 0;
      } else if (idle < reactor.patience()) {
        reactor.relax(idle++);
      } else {
        idle = 0;
        reactor.sleep(Deadline.after(Duration.ofSeconds(1)).earlierOf(reactor.nextTimer()));
        if (!isWanted()) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isWanted() {
    int seen = callerWaitsSeen;
    callerWaitsSeen = reactor.callerWaits();
    return !reactor.callersLead() || reactor.hasUnattended() || seen == callerWaitsSeen;
  }

  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /** Ends the thread after the tasks that are waiting; false if it is not done by the deadline. */
  boolean stop(Deadline deadline) throws InterruptedException {
    running = false;
    reactor.wakeThread();
    TimeUnit.MILLISECONDS.timedJoin(thread, Math.max(1, deadline.remainingMillis()));
    return !thread.isAlive();
  }
}
