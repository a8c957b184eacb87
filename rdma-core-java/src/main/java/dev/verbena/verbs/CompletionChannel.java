// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.time.Deadline;

/**
 * Where a thread sleeps until an armed completion queue has something: ibv_create_comp_channel(3),
 * ibv_get_cq_event(3). Thread-safe.
 */
public interface CompletionChannel extends AutoCloseable {
  /**
   * Waits for an event of any armed queue of this channel.
   *
   * @return the queue, or null if the deadline passed, {@link #wakeUp} was called or the channel
   *     was closed; spurious events are possible
   * @throws InterruptedException if the thread is interrupted
   */
  CompletionQueue awaitEvent(Deadline deadline) throws InterruptedException;

  /** Makes one waiting or future {@link #awaitEvent} return null at once. */
  void wakeUp();

  @Override
  void close();
}
