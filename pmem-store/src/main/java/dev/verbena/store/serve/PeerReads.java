// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.memory.LateFault;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Location;
import dev.verbena.time.Deadline;

/** READs of places in a peer's store, collected and waited for. One thread. */
final class PeerReads {
  private final Peer peer;
  private final Deadline deadline;
  private final BulkBatch batch;

  PeerReads(Peer peer, int expected, Deadline deadline) {
    this.peer = peer;
    this.deadline = deadline;
    this.batch = new BulkBatch(expected);
  }

  /** Adds a READ; places are checked against the peer's pools. */
  void add(RegisteredBuffer target, long targetOffset, long location, long length) {
    RemotePool pool = peer.poolAt(location, length, deadline);
    batch.read(
        target, targetOffset, pool.address() + Location.offset(location), pool.key(), length);
  }

  BulkBatch batch() {
    return batch;
  }

  /**
   * Runs what was added and starts anew. Where this thread copies from the peer's memory itself, a
   * fault ends here: see {@link LateFault}.
   */
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
    batch.clear();
  }

  private StoreException truncated(InternalError cause) {
    return new StoreException(
        StoreException.Code.DISCONNECTED, peer + ": a pool was truncated while it was read", cause);
  }
}
