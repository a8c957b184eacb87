// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.WorkCompletion;

/**
 * The completions of a send queue: its lane, and after the queue pair broke, the requests that
 * never ran, as flushed.
 */
final class SendCompletions implements CompletionSource {
  private final SoftQueuePair queuePair;
  private final SendQueue queue;
  private final CompletionLane lane;
  private volatile long mark = QueuePairAreaLayout.NO_MARK;

  SendCompletions(SoftQueuePair queuePair, SendQueue queue, CompletionLane lane) {
    this.queuePair = queuePair;
    this.queue = queue;
    this.lane = lane;
  }

  @Override
  public int poll(WorkCompletion[] into, int from) {
    int count = takeFromLane(into, from);
    if (count < into.length && queuePair.isBroken() && queuePair.runner().claim().tryClaim()) {
      try {
        count = takeFromLane(into, count);
        count = flush(into, count);
      } finally {
        queuePair.runner().claim().release();
      }
    }
    return count;
  }

  @Override
  public int drain(WorkCompletion[] into) {
    return flush(into, takeFromLane(into, 0));
  }

  private int takeFromLane(WorkCompletion[] into, int from) {
    int count = from;
    for (long word = lane.peek(); word != 0 && count < into.length; word = lane.peek()) {
      long request = lane.request();
      into[count++].set(
          queue.requestId(request),
          WireCodes.status(CompletionLane.status(word)),
          WireCodes.opcode(CompletionLane.opcode(word)),
          lane.byteLength(),
          queuePair.number(),
          false,
          0,
          CompletionLane.vendor(word));
      lane.advance();
      queue.retireThrough(request);
    }
    return count;
  }

  private int flush(WorkCompletion[] into, int from) {
    int count = from;
    for (long request = queue.firstUnfinished();
        request < queue.doorbell() && count < into.length;
        request++) {
      into[count++].set(
          queue.requestId(request),
          CompletionStatus.WORK_REQUEST_FLUSHED,
          WireCodes.completed(queue.operation(request)),
          0,
          queuePair.number(),
          false,
          0,
          0);
      queue.retireThrough(request);
    }
    return count;
  }

  @Override
  public SoftQueuePair queuePair() {
    return queuePair;
  }

  @Override
  public int capacity() {
    return queuePair.attributes().maxSendRequests();
  }

  @Override
  public int count() {
    return lane.count();
  }

  @Override
  public boolean setMark(long ahead) {
    long next = lane.mark(ahead);
    mark = next;
    Fences.full();
    return lane.reached(next);
  }

  @Override
  public void clearMark() {
    mark = QueuePairAreaLayout.NO_MARK;
  }

  /** Engine, behind a full fence: whether what it just added reached the mark. */
  boolean reachedMark() {
    return lane.added() >= mark;
  }

  @Override
  public boolean hasCompletion() {
    return lane.peek() != 0 || (queuePair.isBroken() && queue.firstUnfinished() < queue.doorbell());
  }

  @Override
  public void redrive() {
    queuePair.runner().redriveIfStalled();
  }
}
