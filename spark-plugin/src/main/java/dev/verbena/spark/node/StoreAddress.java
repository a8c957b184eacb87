// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.store.serve.StoreEndpoint;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A {@link StoreEndpoint} as the driver keeps it. What travels over Spark's RPC is an array of the
 * JDK's own types: an executor's RPC does not find the classes of a jar that came by {@code
 * --jars}, and loses its connection over a message of such a class.
 */
record StoreAddress(
    String executor, List<InetSocketAddress> addresses, long incarnation, int wireVersion) {

  StoreAddress {
    addresses = List.copyOf(addresses);
  }

  static StoreAddress of(StoreEndpoint endpoint) {
    return new StoreAddress(
        endpoint.name(), endpoint.addresses(), endpoint.incarnation(), endpoint.wireVersion());
  }

  /** From {@link #toWire}. */
  static StoreAddress fromWire(Object[] wire) {
    return new StoreAddress(
        (String) wire[0], List.of((InetSocketAddress[]) wire[1]), (long) wire[2], (int) wire[3]);
  }

  Object[] toWire() {
    return new Object[] {
      executor, addresses.toArray(InetSocketAddress[]::new), incarnation, wireVersion
    };
  }

  StoreEndpoint endpoint() {
    return new StoreEndpoint(executor, addresses, incarnation, wireVersion);
  }
}
