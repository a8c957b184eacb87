// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;

/**
 * The RECVs that a shared receive queue dealt to one queue pair. The peer's engine tells in the
 * queue pair's area how many it took and whether it asks for more; what it has not taken can be
 * recalled: lower the count of posted RECVs, full fence, look whether the engine announced the
 * queue. The engine announces, full fence, reads the count. Used under the shared receive queue's
 * claim.
 */
final class DealtLane {
  private final ReceiveQueue queue;
  private final MappedMemory area;
  private final int depth;
  private final int[] slots;
  private final int mask;
  private long freed;
  private long counted;
  private boolean joined;
  private boolean inLine;

  DealtLane(ReceiveQueue queue, MappedMemory area, QueuePairAreaLayout layout) {
    this.queue = queue;
    this.area = area;
    this.depth = layout.receiveDepth();
    this.slots = new int[depth];
    this.mask = depth - 1;
  }

  /** RECVs that the peer took, as it says; it can't take what was not posted. */
  long taken() {
    long told = area.getLongAcquire(QueuePairAreaLayout.RECEIVES_TAKEN_OFFSET);
    return Math.max(queue.retired(), Math.min(told, queue.posted()));
  }

  /** RECVs that the peer can still take. */
  int available() {
    return (int) (queue.posted() - taken());
  }

  /** RECVs that the ring has room for. */
  int room() {
    return (int) (depth - (queue.posted() - freed));
  }

  int depth() {
    return depth;
  }

  /** Whether the peer's engine has a request that waits for the next RECV. */
  boolean asks() {
    long asked = area.getLongAcquire(QueuePairAreaLayout.RECEIVE_ASKED_OFFSET);
    return asked == queue.posted() + 1;
  }

  /** Whether RECVs may be dealt: from the connection on until the queue pair broke. */
  boolean isJoined() {
    return joined;
  }

  void setJoined(boolean now) {
    joined = now;
  }

  /** Whether the lane is in the line of those that wait for a RECV to be posted. */
  boolean isInLine() {
    return inLine;
  }

  void setInLine(boolean now) {
    inLine = now;
  }

  /** Deals the first {@code count} of the line, for which there is {@link #room}. */
  void deal(StoredReceives from, int count) {
    long number = queue.posted();
    for (int i = 0; i < count; i++, number++) {
      int slot = from.next();
      slots[(int) number & mask] = slot;
      from.write(slot, queue, number);
    }
    queue.publish(number);
  }

  /** Takes up to {@code count} RECVs back that the peer has not taken; returns how many. */
  int recall(StoredReceives into, int count) {
    long posted = queue.posted();
    queue.publish(posted - count);
    Fences.full();
    long announced =
        area.getLongAcquire(QueuePairAreaLayout.hazard(QueuePairAreaLayout.QUEUE_HAZARD));
    if (announced != 0) {
      queue.publish(posted);
      return 0;
    }
    long told = area.getLongAcquire(QueuePairAreaLayout.RECEIVES_TAKEN_OFFSET);
    long keep = Math.min(posted, Math.max(posted - count, told));
    queue.publish(keep);
    putBack(into, keep, posted);
    return (int) (posted - keep);
  }

  /** Nobody takes any more: returns all but the RECVs whose {@code unpolled} completions exist. */
  void takeBack(StoredReceives into, int unpolled) {
    long posted = queue.posted();
    long keep = Math.min(posted, queue.retired() + unpolled);
    queue.publish(keep);
    putBack(into, keep, posted);
  }

  private void putBack(StoredReceives into, long from, long to) {
    for (long number = from; number < to; number++) {
      into.queue(slots[(int) number & mask]);
    }
  }

  /** Frees the slots of RECVs whose completions were polled. */
  void settle(StoredReceives into) {
    for (long end = queue.retired(); freed < end; freed++) {
      into.free(slots[(int) freed & mask]);
    }
  }

  /** What is {@link #available} now, from which {@link #setMark} goes on. */
  int count() {
    counted = taken();
    return (int) (queue.posted() - counted);
  }

  /** Has the engine tell once it took {@code ahead} more RECVs; true if it did so by now. */
  boolean setMark(long ahead) {
    long mark = counted + ahead;
    area.putLongRelease(QueuePairAreaLayout.RECEIVE_MARK_OFFSET, mark);
    Fences.full();
    return taken() >= mark;
  }

  void clearMark() {
    area.putLongRelease(QueuePairAreaLayout.RECEIVE_MARK_OFFSET, QueuePairAreaLayout.NO_MARK);
  }
}
