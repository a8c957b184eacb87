// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a device. Its duty cycle: wait for sockets (wake-ups, connects, tcp frames),
 * for at most a millisecond while a send queue is stalled; serve what is ready; run commands of
 * other threads; run stalled send queues on.
 */
final class DeviceThread implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceThread.class);
  private static final long REDRIVE_MILLIS = 1;
  private static final long WAIT_MILLIS = 100;

  private final Selector selector;
  private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final Queue<SoftQueuePair> stalled = new ConcurrentLinkedQueue<>();
  private final List<SelectionKey> ready = new ArrayList<>();
  private final Thread thread;
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();

  /** Timers that are due; if one throws, the next cycle runs those behind it. */
  private final Queue<Runnable> expired = new ArrayDeque<>();

  private volatile boolean stopped;
  private volatile long nextRedrive;

  DeviceThread(String deviceName) {
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("can't open a selector", e);
    }
    thread = new Thread(this, deviceName);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Runs a command on this thread, soon. */
  void execute(Runnable command) {
    commands.add(command);
    selector.wakeup();
  }

  /**
   * Runs a command on this thread and waits for it; in the caller if the thread has ended. What the
   * thread did before, it has then let go of.
   */
  void executeAndWait(Runnable command) {
    if (Thread.currentThread() == thread || stopped) {
      command.run();
      return;
    }
    CountDownLatch done = new CountDownLatch(1);
    execute(
        () -> {
          try {
            command.run();
          } finally {
            done.countDown();
          }
        });
    boolean interrupted = false;
    while (done.getCount() > 0 && thread.isAlive()) {
      try {
        if (done.await(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Serves a channel from now on; it is switched to non-blocking. */
  void serve(SelectableChannel channel, int operations, SelectionHandler handler) {
    execute(
        () -> {
          try {
            channel.configureBlocking(false);
            channel.register(selector, operations, handler);
          } catch (IOException e) {
            handler.failed(e);
          }
        });
  }

  /**
   * Waits until channels closed before this call are out of the selector, which keeps their
   * descriptors open until then: a listener's port would go on taking connections.
   */
  void flushClosed() {
    executeAndWait(
        () -> {
          try {
            selector.selectNow();
          } catch (IOException | ClosedSelectorException e) {
            LOG.debug("the selector is closed, and with it its channels", e);
          }
        });
  }

  /** A send queue can't go on by itself: runs it until it can. */
  void redriveSoon(SoftQueuePair queuePair) {
    if (!queuePair.runner().enterRedriveList()) {
      return;
    }
    if (stalled.isEmpty()) {
      nextRedrive = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(REDRIVE_MILLIS);
    }
    stalled.add(queuePair);
    if (Thread.currentThread() != thread) {
      selector.wakeup();
    }
  }

  void wakeUp() {
    selector.wakeup();
  }

  Selector selector() {
    return selector;
  }

  /** On this thread: takes a channel out of service, so that it can be made blocking again. */
  void release(SelectionKey key) throws IOException {
    key.cancel();
    selector.selectNow();
  }

  @Override
  public void run() {
    while (!stopped) {
      try {
        dutyCycle();
      } catch (ClosedSelectorException e) {
        LOG.debug("selector closed", e);
      } catch (IOException | RuntimeException | InternalError e) {
        LOG.error("device thread goes on after a failure", e);
      }
    }
    finish();
  }

  private void dutyCycle() throws IOException {
    long wait = waitNanos();
    if (wait == Long.MAX_VALUE) {
      selector.select();
    } else if (wait <= 0) {
      selector.selectNow();
    } else {
      selector.select(TimeUnit.NANOSECONDS.toMillis(wait) + 1);
    }
    ready.addAll(selector.selectedKeys());
    selector.selectedKeys().clear();
    for (SelectionKey key : ready) {
      if (key.isValid()) {
        dispatch(key);
      }
    }
    ready.clear();
    for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
      command.run();
    }
    while (!timers.isEmpty() && timers.peek().deadline().hasPassed()) {
      expired.add(timers.poll().action());
    }
    for (Runnable action = expired.poll(); action != null; action = expired.poll()) {
      action.run();
    }
    if (!stalled.isEmpty() && System.nanoTime() - nextRedrive >= 0) {
      redrive();
    }
  }

  /** Until something is due, or Long.MAX_VALUE if nothing will be. */
  private long waitNanos() {
    if (!expired.isEmpty() || !commands.isEmpty()) {
      return 0; // What stood before them threw.
    }
    long wait = Long.MAX_VALUE;
    if (!timers.isEmpty()) {
      wait = timers.peek().deadline().remainingNanos();
    }
    return stalled.isEmpty() ? wait : Math.min(wait, nextRedrive - System.nanoTime());
  }

  /** On this thread: runs an action once the deadline has passed. */
  void schedule(Deadline deadline, Runnable action) {
    timers.add(new Timer(deadline, action));
  }

  private record Timer(Deadline deadline, Runnable action) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      return Long.signum(deadline.nanoTime() - other.deadline.nanoTime());
    }
  }

  /**
   * Runs the stalled queues on. Those that only used up their budget go on at once, the others in a
   * millisecond.
   */
  private void redrive() {
    boolean hot = false;
    for (int left = stalled.size(); left > 0; left--) {
      SoftQueuePair queuePair = stalled.poll();
      if (queuePair != null) {
        queuePair.runner().leaveRedriveList();
        if (queuePair.runner().redriveIfStalled()) {
          hot |= queuePair.runner().isOutOfBudget();
          redriveSoon(queuePair);
        }
      }
    }
    nextRedrive = System.nanoTime() + (hot ? 0 : TimeUnit.MILLISECONDS.toNanos(REDRIVE_MILLIS));
  }

  private void dispatch(SelectionKey key) {
    SelectionHandler handler = (SelectionHandler) key.attachment();
    try {
      handler.ready(key);
    } catch (IOException | RuntimeException e) {
      key.cancel();
      handler.failed(e);
    }
  }

  private void finish() {
    for (SelectionKey key : selector.keys()) {
      ((SelectionHandler) key.attachment()).failed(new IOException("device closed"));
    }
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("closing the selector", e);
    }
  }

  /** Ends the thread after the cycle it is in, and waits for it. */
  void stop() {
    stopped = true;
    selector.wakeup();
    boolean interrupted = false;
    while (thread.isAlive() && Thread.currentThread() != thread) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
