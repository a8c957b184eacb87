// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of a device that sleeps until it or its connection manager has an event. */
final class EventThread {
  private static final Logger LOG = LoggerFactory.getLogger(EventThread.class);
  private static final int WAIT_MILLIS = 60_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  // enum ibv_event_type
  private static final int CQ_ERR = 0;
  private static final int QP_FATAL = 1;
  private static final int QP_REQ_ERR = 2;
  private static final int QP_ACCESS_ERR = 3;
  private static final int SQ_DRAINED = 5;
  private static final int SRQ_LIMIT_REACHED = 15;
  private static final int QP_LAST_WQE_REACHED = 16;

  private final RdmaDevice device;
  private final Thread thread;
  private final ByteBuffer event = NativeMemory.buffer(EventLayout.SIZE);
  private volatile boolean stopping;

  EventThread(RdmaDevice device) {
    this.device = device;
    this.thread = new Thread(this::run, "verbena-" + device.name());
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /**
   * Ends the thread and waits for it, unless it is itself that asks.
   *
   * @throws VerbsException TIMED_OUT if it does not end: the device is in use then
   */
  void stop() {
    stopping = true;
    Failures.check(Native.deviceNudge(device.handle()), "stopping " + device.name());
    if (Thread.currentThread() == thread) {
      return;
    }
    Deadline deadline = Deadline.after(PATIENCE);
    boolean interrupted = false;
    while (thread.isAlive() && !deadline.hasPassed()) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, deadline.remainingNanos());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new VerbsException(
          VerbsException.Code.TIMED_OUT, thread.getName() + " does not end within " + PATIENCE);
    }
  }

  private void run() {
    long address = NativeMemory.address(event);
    while (!stopping) {
      try {
        int got = Native.deviceWait(device.handle(), address, WAIT_MILLIS);
        if (got == 1) {
          dispatch();
        } else if (got < 0 && got != Native.NUDGED) {
          LOG.error("{} tells no events any more", device.name(), Failures.of(got, "waiting"));
          return;
        }
      } catch (RuntimeException e) {
        LOG.error("an event of {} failed", device.name(), e);
      }
    }
  }

  private void dispatch() {
    Object concerned = device.object(event.getLong(EventLayout.OBJECT_OFFSET));
    if (event.getInt(EventLayout.SOURCE_OFFSET) == EventLayout.FROM_DEVICE) {
      dispatch(concerned, event.getInt(EventLayout.TYPE_OFFSET));
      return;
    }
    ConnectionEvent of = ConnectionEvent.read(event);
    if (concerned instanceof RdmaListener listener) {
      if (of.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
        listener.add(of);
      }
    } else if (concerned instanceof Conversation conversation) {
      conversation.add(of);
    } else if (of.newId() != 0) {
      // Its listener was closed just now.
      Failures.check(Native.idDestroy(of.newId()), "declining " + of.remote());
    }
  }

  private void dispatch(Object concerned, int type) {
    if (concerned instanceof RdmaQueuePair queuePair) {
      switch (type) {
        case QP_FATAL -> queuePair.failFatally();
        case QP_REQ_ERR -> queuePair.brokenByPeer(AsyncEvent.Type.QUEUE_PAIR_REQUEST_ERROR);
        case QP_ACCESS_ERR -> queuePair.brokenByPeer(AsyncEvent.Type.QUEUE_PAIR_ACCESS_ERROR);
        case SQ_DRAINED -> queuePair.drained();
        case QP_LAST_WQE_REACHED -> queuePair.lastRequestReached();
        default -> LOG.debug("{}: event {}", queuePair, type);
      }
    } else if (concerned instanceof RdmaCompletionQueue queue && type == CQ_ERR) {
      queue.overrun();
    } else if (concerned instanceof RdmaSharedReceiveQueue queue && type == SRQ_LIMIT_REACHED) {
      queue.limitReached();
    } else {
      LOG.info(
          "{}: event {}, port {}", device.name(), type, event.getInt(EventLayout.STATUS_OFFSET));
    }
  }
}
