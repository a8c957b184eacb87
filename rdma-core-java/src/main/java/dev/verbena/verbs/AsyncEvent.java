// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.util.Objects;

/** Something that happened outside of any work request: ibv_get_async_event(3). */
public sealed interface AsyncEvent {
  /** The kinds of events. */
  enum Type {
    /** A queue pair failed for a reason that no completion tells. */
    QUEUE_PAIR_FATAL,
    /** A peer's request broke the queue pair: its key, range or permission is wrong. */
    QUEUE_PAIR_ACCESS_ERROR,
    /** A peer's request broke the queue pair: it is malformed or not supported. */
    QUEUE_PAIR_REQUEST_ERROR,
    /** A queue pair in SEND_QUEUE_DRAINED has finished the requests that had begun. */
    SEND_QUEUE_DRAINED,
    /** A completion queue was overrun; it can't be polled any more. */
    COMPLETION_QUEUE_ERROR,
    /** A queue pair in ERROR will take no more RECVs of its shared receive queue. */
    LAST_REQUEST_REACHED,
    /** Fewer RECVs are left than the armed limit of a shared receive queue. */
    SHARED_RECEIVE_LIMIT_REACHED
  }

  /** What happened. */
  Type type();

  /**
   * An event of a queue pair.
   *
   * @param queuePair the one concerned
   */
  record OfQueuePair(Type type, QueuePair queuePair) implements AsyncEvent {
    /** Checks that nothing is missing. */
    public OfQueuePair {
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(queuePair, "queuePair");
    }
  }

  /**
   * An event of a completion queue.
   *
   * @param queue the one concerned
   */
  record OfCompletionQueue(Type type, CompletionQueue queue) implements AsyncEvent {
    /** Checks that nothing is missing. */
    public OfCompletionQueue {
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(queue, "queue");
    }
  }

  /**
   * An event of a shared receive queue.
   *
   * @param queue the one concerned
   */
  record OfSharedReceiveQueue(Type type, SharedReceiveQueue queue) implements AsyncEvent {
    /** Checks that nothing is missing. */
    public OfSharedReceiveQueue {
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(queue, "queue");
    }
  }
}
