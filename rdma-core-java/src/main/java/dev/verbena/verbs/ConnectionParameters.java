// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.time.Deadline;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * How to connect: rdma_resolve_addr(3) and rdma_connect(3) in one.
 *
 * @param remote where the passive side listens
 * @param local the source address, which chooses the path; null leaves it to routing
 * @param privateData told to the passive side; at most {@link DeviceAttributes#maxPrivateData}
 * @param deadline over the whole connect
 */
public record ConnectionParameters(
    InetSocketAddress remote, InetSocketAddress local, byte[] privateData, Deadline deadline) {

  /** Checks that nothing needed is missing. */
  public ConnectionParameters {
    Objects.requireNonNull(remote, "remote");
    Objects.requireNonNull(deadline, "deadline");
    privateData = privateData.clone();
  }

  @Override
  public byte[] privateData() {
    return privateData.clone();
  }
}
