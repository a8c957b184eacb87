// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.WorkCompletion;

/** Whose requests complete: a send queue, a receive queue or a shared one. */
interface WorkQueue {
  /**
   * Poller: request number {@code request} is done.
   *
   * @return whether {@code into} was filled; false if nobody asked for this completion
   */
  boolean complete(int request, CompletionBatch batch, int index, WorkCompletion into);
}
