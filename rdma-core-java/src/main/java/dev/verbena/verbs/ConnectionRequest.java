// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.time.Deadline;
import java.net.InetSocketAddress;

/** A connect that waits for an answer: RDMA_CM_EVENT_CONNECT_REQUEST. Answer it once. */
public interface ConnectionRequest {
  /** Where it comes from. */
  InetSocketAddress remoteAddress();

  /** What the active side sent along. */
  byte[] privateData();

  /**
   * Connects {@code queuePair} and tells the active side: rdma_accept(3). Post RECVs first.
   *
   * @throws VerbsException TIMED_OUT or DISCONNECTED if the active side went away; the queue pair
   *     is then in ERROR
   */
  void accept(QueuePair queuePair, byte[] privateData, Deadline deadline);

  /** Declines: rdma_reject(3). */
  void reject(byte[] privateData);
}
