// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.grant.GrantOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * How an agent works.
 *
 * @param name what people call it: the node's name
 * @param store its pools, and the quota of each application
 * @param grants how space is granted
 * @param provider verbs provider, maybe with a device: "soft", "rdmacore:mlx5_0"
 * @param tcpOnly whether the software NIC uses carrier tcp on one host too
 * @param deviceDirectory where the software NIC keeps its segments
 * @param address numeric address that stores are served at: that of one interface
 * @param socket where applications of this node attach: a path that is free, or an agent's that
 *     died
 * @param access who may attach
 * @param state directory in which it remembers applications; made if missing
 * @param token what applications must present to attach; empty for nothing
 * @param vanishedAfter how long an application may be without any process that holds it before it
 *     counts as over, and its space returns
 * @param drain how long closing waits for what is being written
 */
public record AgentOptions(
    String name,
    StoreOptions store,
    GrantOptions grants,
    String provider,
    boolean tcpOnly,
    Path deviceDirectory,
    InetAddress address,
    Path socket,
    SocketAccess access,
    Path state,
    String token,
    Duration vanishedAfter,
    Duration drain) {

  /** Checks that nothing is missing and the address is one that can be told to others. */
  public AgentOptions {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(grants, "grants");
    Objects.requireNonNull(provider, "provider");
    Objects.requireNonNull(deviceDirectory, "deviceDirectory");
    Objects.requireNonNull(socket, "socket");
    Objects.requireNonNull(access, "access");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(vanishedAfter, "vanishedAfter");
    Objects.requireNonNull(drain, "drain");
    if (address.isAnyLocalAddress()) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "address "
              + address.getHostAddress()
              + ", expected that of an interface: it is told to others");
    }
  }

  /** Secrets are kept out of it. */
  @Override
  public String toString() {
    return "agent " + name + " with " + store.tiers() + " at " + socket;
  }
}
