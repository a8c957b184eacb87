// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.store.serve.StoreEndpoint;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.util.List;

/** A {@link StoreEndpoint} as it travels over Spark's RPC. */
record StoreAddress(
    String executor, List<InetSocketAddress> addresses, long incarnation, int wireVersion)
    implements Serializable {

  StoreAddress {
    addresses = List.copyOf(addresses);
  }

  static StoreAddress of(StoreEndpoint endpoint) {
    return new StoreAddress(
        endpoint.name(), endpoint.addresses(), endpoint.incarnation(), endpoint.wireVersion());
  }

  StoreEndpoint endpoint() {
    return new StoreEndpoint(executor, addresses, incarnation, wireVersion);
  }
}
