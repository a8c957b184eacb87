// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.net.InetSocketAddress;

/** Takes connections and runs calls. Thread-safe. */
public interface RpcServer extends AutoCloseable {
  /**
   * Starts a server. Device and domain stay the caller's, who closes them after the server; regions
   * of {@code domain} are what authenticated peers can reach one-sided, by key.
   *
   * @param bind where to listen; port 0 chooses one
   * @throws dev.verbena.verbs.VerbsException if the address can't be had, or resources
   */
  static RpcServer start(
      Device device,
      ProtectionDomain domain,
      InetSocketAddress bind,
      RpcOptions options,
      RpcMethods methods) {
    return new VerbsRpcServer(device, domain, bind, options, methods, VersionRange.SUPPORTED);
  }

  /** Where it listens. */
  InetSocketAddress address();

  /** A random number of this start of the server. */
  long incarnation();

  /** What happened since the start. */
  Statistics statistics();

  /**
   * Counts since the start, except the first two, which are of now.
   *
   * @param connections authenticated connections
   * @param unauthenticated connections in the handshake
   * @param calls requests that reached a handler
   * @param overloaded requests and connections refused since a bound was reached
   * @param authenticationFailures handshakes that ended since the secrets differ
   * @param versionFailures handshakes that ended since no version is in common
   * @param protocolFailures connections ended since the peer sent what the protocol does not allow
   */
  record Statistics(
      int connections,
      int unauthenticated,
      long calls,
      long overloaded,
      long authenticationFailures,
      long versionFailures,
      long protocolFailures) {}

  /**
   * Stops listening, breaks every connection, and returns when handlers have returned, or after a
   * few seconds if one does not; handlers are interrupted. Closing twice has no effect.
   */
  @Override
  void close();
}
