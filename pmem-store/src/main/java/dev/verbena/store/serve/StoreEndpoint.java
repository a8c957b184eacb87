// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;

/**
 * Where a store is served and which of its lives is meant. Plain values, so that a directory can
 * hand it on in whatever encoding it likes.
 *
 * @param name what people call the store: the executor's id, say
 * @param addresses numeric addresses it listens at, the preferred one first; at least one
 * @param incarnation differs each time a store is served anew
 * @param wireVersion version of what is said and laid out; another one refuses clearly
 */
public record StoreEndpoint(
    String name, List<InetSocketAddress> addresses, long incarnation, int wireVersion) {
  /** Checks that there is an address. */
  public StoreEndpoint {
    Objects.requireNonNull(name, "name");
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, "store " + name + " without an address");
    }
  }
}
