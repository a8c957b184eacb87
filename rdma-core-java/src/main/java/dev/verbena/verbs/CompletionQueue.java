// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/**
 * Where completions arrive: ibv_create_cq(3), ibv_poll_cq(3), ibv_req_notify_cq(3). One thread
 * polls at a time.
 */
public interface CompletionQueue extends AutoCloseable {
  /**
   * Takes up to {@code into.length} completions out.
   *
   * @return how many were filled in; 0 if there is none
   * @throws VerbsException NO_RESOURCES once the queue was overrun: completions of more requests
   *     were outstanding than it has entries, so its queue pairs are in ERROR. Flushed requests and
   *     those of closed queue pairs need no entry
   */
  int poll(WorkCompletion[] into);

  /**
   * Arms the queue: the next completion added after this call raises one event on its channel. As
   * with ibv_req_notify_cq, poll once more after arming and before waiting, or one that came in
   * between is missed.
   *
   * @param solicitedOnly only solicited completions and errors count
   * @throws VerbsException INVALID_STATE if the queue was made without a channel
   */
  void requestNotification(boolean solicitedOnly);

  /** Frees the queue; INVALID_STATE while queue pairs use it. */
  @Override
  void close();
}
