// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was closed while a peer had stopped inside it: queue pairs, whose announcements go on to
 * count, and keys. Each is given back once that peer resumed and left, or died. Thread-safe.
 */
final class Quarantine {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);
  private static final Duration LOOK = Duration.ofMillis(100);

  private final DeviceThread thread;
  private final List<SoftQueuePair> queuePairs = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private boolean looks;

  private record Held(String what, BooleanSupplier isOut, Runnable release) {}

  Quarantine(DeviceThread thread) {
    this.thread = thread;
  }

  /** Keeps a queue pair whose peer is inside its area. */
  void hold(SoftQueuePair queuePair) {
    LOG.warn("{}: its peer stopped inside an operation; its memory is kept", queuePair);
    synchronized (this) {
      queuePairs.add(queuePair);
    }
    thread.execute(this::lookSoon);
  }

  /** Runs {@code release} on the device thread once {@code isOut} holds. */
  void hold(String what, BooleanSupplier isOut, Runnable release) {
    LOG.warn("a peer stopped inside {}; it is kept", what);
    synchronized (this) {
      held.add(new Held(what, isOut, release));
    }
    thread.execute(this::lookSoon);
  }

  /** Whether a peer announces a key slot through a queue pair that is held. */
  synchronized boolean announces(int keySlot) {
    return queuePairs.stream().anyMatch(queuePair -> queuePair.announces(keySlot));
  }

  synchronized boolean isEmpty() {
    return queuePairs.isEmpty() && held.isEmpty();
  }

  /** The device closes, and its thread has ended: peers go on in mappings of their own. */
  synchronized void close() {
    queuePairs.forEach(SoftQueuePair::leaveQuarantine);
    queuePairs.clear();
    held.clear();
  }

  private void lookSoon() {
    if (!looks && !isEmpty()) {
      looks = true;
      thread.schedule(Deadline.after(LOOK), this::look);
    }
  }

  /** Device thread. */
  private void look() {
    looks = false;
    List<Held> waiting;
    synchronized (this) {
      queuePairs.removeIf(
          queuePair -> {
            boolean isLeft = queuePair.isLeft();
            if (isLeft) {
              LOG.info("{} leaves the quarantine", queuePair);
              queuePair.leaveQuarantine();
            }
            return isLeft;
          });
      waiting = new ArrayList<>(held);
    }
    // Whether a key is announced is asked of the device, under its monitor: not under this one.
    for (Held one : waiting) {
      if (one.isOut().getAsBoolean()) {
        LOG.info("{} leaves the quarantine", one.what());
        one.release().run();
        synchronized (this) {
          held.remove(one);
        }
      }
    }
    lookSoon();
  }
}
