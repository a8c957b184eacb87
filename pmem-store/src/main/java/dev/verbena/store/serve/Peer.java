// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RpcConnection;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Location;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A connection to one store, and where that store's pools are. Thread-safe. */
final class Peer {
  private final StoreEndpoint endpoint;
  private final RpcConnection connection;
  private volatile Map<Integer, RemotePool> pools = Map.of();
  private volatile long indexDescriptor;

  private Peer(StoreEndpoint endpoint, RpcConnection connection) {
    this.endpoint = endpoint;
    this.connection = connection;
  }

  /**
   * Asks a connected store for its pools.
   *
   * @throws StoreException REJECTED if it is another incarnation, or refuses
   */
  static Peer attach(StoreEndpoint endpoint, RpcConnection connection, Deadline deadline) {
    if (connection.serverIncarnation() != endpoint.incarnation()) {
      throw new StoreException(
          StoreException.Code.REJECTED,
          Failures.describe(endpoint)
              + " is of incarnation "
              + Long.toHexString(connection.serverIncarnation())
              + ", expected "
              + Long.toHexString(endpoint.incarnation()));
    }
    Peer peer = new Peer(endpoint, connection);
    peer.refresh(deadline);
    return peer;
  }

  StoreEndpoint endpoint() {
    return endpoint;
  }

  RpcConnection connection() {
    return connection;
  }

  String carrier() {
    return connection.bulk().carrier();
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  long indexDescriptor() {
    return indexDescriptor;
  }

  /**
   * The pool that a location lies in; a pool made since is asked for.
   *
   * @throws StoreException CORRUPT if there is none, or the range leaves it
   */
  RemotePool poolAt(long location, long length, Deadline deadline) {
    RemotePool pool = pools.get(Location.pool(location));
    if (pool == null) {
      pool = refreshedPool(Location.pool(location), deadline);
    }
    if (pool == null || length < 0 || length > pool.length() - Location.offset(location)) {
      throw new StoreException(
          StoreException.Code.CORRUPT,
          Failures.describe(endpoint)
              + ": "
              + length
              + " bytes at "
              + Location.offset(location)
              + " are not in pool "
              + Location.pool(location)
              + " ("
              + pool
              + ")");
    }
    return pool;
  }

  /** Opens a pool for direct loads; empty if it is not on this host. */
  Optional<RemoteMapping> map(RemotePool pool) {
    try {
      return connection.bulk().mapRemote(pool.address(), pool.length(), pool.key());
    } catch (RpcException e) {
      throw Failures.of(endpoint, e);
    } catch (VerbsException e) {
      throw Failures.of(endpoint, e);
    }
  }

  /**
   * Checks that a pool which READs were of has not been cut short meanwhile. Nothing to do unless
   * it is on this host.
   *
   * @throws StoreException DISCONNECTED if it was
   */
  void checkWhole(RemotePool pool) {
    Optional<RemoteMapping> mapping = map(pool);
    try {
      mapping.ifPresent(present -> present.read(0, ByteBuffer.allocate(1), 0, 1));
    } catch (VerbsException e) {
      throw Failures.of(endpoint, e);
    }
  }

  /** Asks once for all threads that miss the same pool. */
  private synchronized RemotePool refreshedPool(int number, Deadline deadline) {
    if (!pools.containsKey(number)) {
      refresh(deadline);
    }
    return pools.get(number);
  }

  private synchronized void refresh(Deadline deadline) {
    try {
      Attachment attachment =
          AttachLayout.attachment(
              connection.call(AttachLayout.METHOD, AttachLayout.request(), deadline));
      Map<Integer, RemotePool> now = new HashMap<>();
      attachment.pools().forEach(pool -> now.put(pool.number(), pool));
      pools = now;
      indexDescriptor = attachment.indexDescriptor();
    } catch (RpcException e) {
      throw Failures.of(endpoint, e);
    }
  }

  @Override
  public String toString() {
    return Failures.describe(endpoint);
  }
}
