// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.util.HashSet;
import java.util.Set;

/** READs large messages that the peer offers into registered buffers. Thread-safe. */
final class IncomingRendezvous {
  /** Takes a message, or why it can't be had. Called once, by any thread; must not block. */
  interface Receiver {
    /**
     * Takes it.
     *
     * @param message the receiver's to close; null on failure
     * @param failure null if there is none
     */
    void received(RegisteredBuffer message, RpcException failure);
  }

  private final BufferPool pool;
  private final Link link;

  /** Fetches that have no buffer yet. */
  private final Set<Fetch> waiting = new HashSet<>();

  private RpcException closed;

  IncomingRendezvous(BufferPool pool, Link link) {
    this.pool = pool;
    this.link = link;
  }

  /** READs a message once there is a buffer for it; it is not READ once the deadline has passed. */
  void fetch(RendezvousDescriptor offer, Deadline deadline, Receiver receiver) {
    Fetch fetch = new Fetch(offer, deadline, receiver);
    RpcException gone = null;
    synchronized (waiting) {
      if (closed == null) {
        waiting.add(fetch);
      } else {
        gone = closed;
      }
    }
    if (gone != null) {
      receiver.received(null, RpcFailures.broken(gone, true));
      return;
    }
    try {
      BufferPool.Waiter place = pool.acquireLater(offer.length(), fetch::granted);
      if (place != null) {
        fetch.queuedAs(place);
      }
    } catch (RpcException e) {
      if (leave(fetch)) {
        receiver.received(null, e);
      }
    }
  }

  /** The link has ended: nobody waits for a buffer any more. */
  void close(RpcException cause) {
    Set<Fetch> left;
    synchronized (waiting) {
      closed = cause;
      left = Set.copyOf(waiting);
      waiting.clear();
    }
    for (Fetch fetch : left) {
      fetch.cancel(cause);
    }
  }

  private boolean leave(Fetch fetch) {
    synchronized (waiting) {
      return waiting.remove(fetch);
    }
  }

  private final class Fetch {
    private final RendezvousDescriptor offer;
    private final Deadline deadline;
    private final Receiver receiver;
    private BufferPool.Waiter place;
    private boolean cancelled;

    Fetch(RendezvousDescriptor offer, Deadline deadline, Receiver receiver) {
      this.offer = offer;
      this.deadline = deadline;
      this.receiver = receiver;
    }

    void queuedAs(BufferPool.Waiter waiter) {
      synchronized (this) {
        place = waiter;
        if (!cancelled) {
          return;
        }
      }
      pool.cancel(waiter);
    }

    void cancel(RpcException cause) {
      BufferPool.Waiter waiter;
      synchronized (this) {
        cancelled = true;
        waiter = place;
      }
      if (waiter != null) {
        pool.cancel(waiter);
      }
      receiver.received(null, RpcFailures.broken(cause, true));
    }

    void granted(RegisteredBuffer buffer) {
      if (!leave(this)) {
        // Cancelled, and the receiver told, before the buffer came.
        buffer.close();
        return;
      }
      if (deadline.hasPassed()) {
        buffer.close();
        receiver.received(
            null,
            new RpcException(
                RpcException.Code.TIMED_OUT, true, "no buffer came free for a message", null));
        return;
      }
      BulkBatch batch = new BulkBatch(1);
      batch.read(buffer, 0, offer.address(), offer.key(), offer.length());
      try {
        link.bulk().submit(batch, deadline, (done, failure) -> arrived(buffer, failure));
      } catch (RpcException e) {
        arrived(buffer, e);
      }
    }

    private void arrived(RegisteredBuffer buffer, RpcException failure) {
      if (failure == null) {
        receiver.received(buffer, null);
      } else {
        buffer.close();
        receiver.received(null, failure);
      }
    }
  }
}
