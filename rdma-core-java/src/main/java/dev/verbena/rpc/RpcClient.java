// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.net.InetSocketAddress;

/** Opens connections, all served by one thread. One a process is usual. Thread-safe. */
public interface RpcClient extends AutoCloseable {
  /**
   * Opens a client. Device and domain stay the caller's, who closes them after the client; local
   * buffers of bulk transfers must be registered in {@code domain}.
   */
  static RpcClient open(Device device, ProtectionDomain domain, RpcOptions options) {
    return new VerbsRpcClient(device, domain, options, VersionRange.SUPPORTED);
  }

  /**
   * Connects and authenticates, both ways. Connections are not cached: each call makes one.
   *
   * @param deadline over all of it
   * @throws RpcException UNREACHABLE, TIMED_OUT, AUTHENTICATION, VERSION, OVERLOADED if the server
   *     takes no more connections, PROTOCOL if something else answers there, CLOSED, INTERRUPTED
   */
  RpcConnection connect(InetSocketAddress server, Deadline deadline);

  /** Closes every connection. Closing twice has no effect. */
  @Override
  void close();
}
