// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.time.Deadline;
import java.net.InetSocketAddress;

/** A passive end that takes connects: rdma_listen(3). Thread-safe. */
public interface Listener extends AutoCloseable {
  /** The address in use, with the port that was chosen if 0 was asked for. */
  InetSocketAddress address();

  /**
   * Takes the next connection request.
   *
   * @return the request, or null if the deadline passed or the listener was closed
   * @throws InterruptedException if the thread is interrupted
   */
  ConnectionRequest nextRequest(Deadline deadline) throws InterruptedException;

  /** Stops listening; requests not yet taken are rejected. */
  @Override
  void close();
}
