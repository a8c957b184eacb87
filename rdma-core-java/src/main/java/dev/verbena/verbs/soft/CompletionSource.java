// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.WorkCompletion;

/** One lane of a completion queue: the send or the receive side of one queue pair. */
interface CompletionSource {
  /**
   * Moves completions into {@code into} from index {@code from} on; called under the completion
   * queue's claim.
   *
   * @return the index after the last one filled
   */
  int poll(WorkCompletion[] into, int from);

  /** As {@link #poll}, by a queue pair that closes: nobody runs its send queue any more. */
  int drain(WorkCompletion[] into);

  /** Whether {@link #poll} would find something. */
  boolean hasCompletion();

  /** Whose completions these are. */
  SoftQueuePair queuePair();

  /** Completions that there can be at a time. */
  int capacity();

  /** Completions that there are now; {@link #setMark} goes on from here. */
  int count();

  /**
   * Has the producer see to {@link SoftCompletionQueue#checkBound} once it added {@code ahead}
   * more.
   *
   * @return whether it did so by now
   */
  boolean setMark(long ahead);

  /** The producer need not look. */
  void clearMark();

  /** Runs the queue pair's send queue if it could not go on before. */
  void redrive();
}
