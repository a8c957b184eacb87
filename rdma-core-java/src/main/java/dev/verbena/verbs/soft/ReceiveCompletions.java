// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.WorkCompletion;

/**
 * The completions of a receive queue: its lane, which the peer writes, and after the queue pair
 * broke and the peer is out, the RECVs that nothing arrived in, as flushed; those of a shared
 * receive queue return to it instead.
 */
final class ReceiveCompletions implements CompletionSource {
  private final SoftQueuePair queuePair;
  private final ReceiveQueue queue;
  private final CompletionLane lane;
  private final ReceiveSide side;

  ReceiveCompletions(
      SoftQueuePair queuePair, ReceiveQueue queue, CompletionLane lane, ReceiveSide side) {
    this.queuePair = queuePair;
    this.queue = queue;
    this.lane = lane;
    this.side = side;
  }

  @Override
  public int poll(WorkCompletion[] into, int from) {
    int count = takeFromLane(into, from);
    if (side.isShared()) {
      if (count > from) {
        side.settle();
      }
    } else if (count < into.length && queuePair.isBroken() && queuePair.peerIsOut()) {
      count = takeFromLane(into, count);
      while (count < into.length && queue.hasUnfinished()) {
        into[count++].set(
            queue.retire(),
            CompletionStatus.WORK_REQUEST_FLUSHED,
            Opcode.RECEIVE,
            0,
            queuePair.number(),
            false,
            0,
            0);
      }
    }
    return count;
  }

  @Override
  public int drain(WorkCompletion[] into) {
    return poll(into, 0);
  }

  private int takeFromLane(WorkCompletion[] into, int from) {
    int count = from;
    for (long word = lane.peek();
        word != 0 && count < into.length && queue.hasUnfinished();
        word = lane.peek()) {
      int flags = CompletionLane.flags(word);
      WorkCompletion completion = into[count++];
      completion.set(
          queue.retire(),
          WireCodes.status(CompletionLane.status(word)),
          WireCodes.opcode(CompletionLane.opcode(word)),
          lane.byteLength(),
          queuePair.number(),
          (flags & CompletionLane.IMMEDIATE) != 0,
          (flags & CompletionLane.IMMEDIATE) != 0 ? lane.immediate() : 0,
          CompletionLane.vendor(word));
      if ((flags & CompletionLane.INVALIDATED) != 0) {
        completion.setInvalidatedKey(lane.immediate());
      }
      lane.advance();
    }
    return count;
  }

  /** Completions that were not polled; under the completion queue's claim. */
  int pending() {
    return lane.pending();
  }

  @Override
  public SoftQueuePair queuePair() {
    return queuePair;
  }

  @Override
  public int capacity() {
    return side.capacity();
  }

  @Override
  public int count() {
    return lane.count();
  }

  @Override
  public boolean setMark(long ahead) {
    long mark = lane.mark(ahead);
    side.setCompletionMark(mark);
    Fences.full();
    return lane.reached(mark);
  }

  @Override
  public void clearMark() {
    side.setCompletionMark(QueuePairAreaLayout.NO_MARK);
  }

  @Override
  public boolean hasCompletion() {
    return lane.peek() != 0
        || (!side.isShared()
            && queuePair.isBroken()
            && queue.hasUnfinished()
            && queuePair.peerIsOut());
  }

  @Override
  public void redrive() {}
}
