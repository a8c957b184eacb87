// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.util.Arrays;
import java.util.BitSet;

/** The work queues of a device by number. Reading takes no lock. */
final class WorkQueues {
  private final BitSet taken = new BitSet();
  private volatile WorkQueue[] queues = new WorkQueue[16];

  synchronized int enter(WorkQueue queue) {
    int number = taken.nextClearBit(0);
    taken.set(number);
    WorkQueue[] now = queues;
    WorkQueue[] next = Arrays.copyOf(now, number < now.length ? now.length : 2 * now.length);
    next[number] = queue;
    queues = next;
    return number;
  }

  /** Only of a queue that will complete nothing any more: its number is given out again. */
  synchronized void leave(int number) {
    WorkQueue[] next = queues.clone();
    next[number] = null;
    queues = next;
    taken.clear(number);
  }

  /** The queue of that number; null if it left. */
  WorkQueue get(int number) {
    return queues[number];
  }
}
