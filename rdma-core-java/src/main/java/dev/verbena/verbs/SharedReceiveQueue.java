// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/**
 * RECVs that several queue pairs of one protection domain draw from: ibv_create_srq(3),
 * ibv_post_srq_recv(3), ibv_modify_srq(3). A message takes any of them; its completion goes to the
 * receive completion queue of the queue pair that it came in on.
 *
 * <p>A queue pair that breaks flushes none of these RECVs: those it has not completed return to the
 * queue. Thread-safe.
 */
public interface SharedReceiveQueue extends AutoCloseable {
  /** The limits it was made with. */
  SharedReceiveQueueAttributes attributes();

  /**
   * Posts a RECV. Its place is free again when its completion was polled.
   *
   * @throws VerbsException RECEIVE_QUEUE_FULL, or INVALID_ARGUMENT with the limit exceeded
   */
  void postReceive(ReceiveRequest request);

  /**
   * Arms the limit: one {@link AsyncEvent.Type#SHARED_RECEIVE_LIMIT_REACHED} is raised when fewer
   * than {@code limit} RECVs are left, at once if that is so already; then the limit is 0 again.
   *
   * @param limit 0 disarms
   * @throws VerbsException INVALID_ARGUMENT if it is negative or above the queue's size
   */
  void armLimit(int limit);

  /** The armed limit; 0 if there is none. */
  int limit();

  /** Frees the queue and its RECVs; INVALID_STATE while queue pairs use it. */
  @Override
  void close();
}
