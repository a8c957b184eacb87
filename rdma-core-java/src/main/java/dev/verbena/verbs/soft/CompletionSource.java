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

  /** Runs the queue pair's send queue if it could not go on before. */
  void redrive();
}
