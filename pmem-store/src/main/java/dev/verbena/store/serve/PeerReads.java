// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.memory.LateFault;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Location;
import dev.verbena.time.Deadline;
import java.util.HashSet;
import java.util.Set;

/**
 * READs of places in a peer's store, collected and waited for. One thread.
 *
 * <p>Over shm it is this process that copies, and of a pool that was cut short it makes things up:
 * {@link #checkWhole} tells, whichever thread it was that copied. Over tcp the peer tells.
 */
final class PeerReads {
  private final Peer peer;
  private final Deadline deadline;
  private final BulkBatch batch;
  private final Set<RemotePool> pools = new HashSet<>();

  PeerReads(Peer peer, int expected, Deadline deadline) {
    this.peer = peer;
    this.deadline = deadline;
    this.batch = new BulkBatch(expected);
  }

  /** Adds a READ; places are checked against the peer's pools. */
  void add(RegisteredBuffer target, long targetOffset, long location, long length) {
    RemotePool pool;
    try {
      pool = peer.poolAt(location, length, deadline);
    } catch (RuntimeException e) {
      letGo();
      throw e;
    }
    pools.add(pool);
    batch.read(
        target, targetOffset, pool.address() + Location.offset(location), pool.key(), length);
  }

  /** Lets the buffers of READs go that are not on their way. */
  void letGo() {
    batch.clear();
  }

  /**
   * Checks after the READs that none was of a pool cut short.
   *
   * @throws StoreException DISCONNECTED if one was: what it brought is undefined
   */
  void checkWhole() {
    pools.forEach(peer::checkWhole);
  }

  BulkBatch batch() {
    return batch;
  }

  /** Runs what was added, checks that it is whole, and starts anew. */
  void run() {
    try {
      peer.connection().bulk().transfer(batch, deadline);
    } catch (RpcException e) {
      LateFault.collect();
      throw Failures.of(peer.endpoint(), e);
    } catch (InternalError e) {
      throw truncated(e);
    }
    if (LateFault.collect()) {
      throw truncated(null);
    }
    checkWhole();
    batch.clear();
    pools.clear();
  }

  private StoreException truncated(InternalError cause) {
    return new StoreException(
        StoreException.Code.DISCONNECTED, peer + ": a pool was truncated while it was read", cause);
  }
}
