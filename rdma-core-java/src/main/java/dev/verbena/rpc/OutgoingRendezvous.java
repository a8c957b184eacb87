// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** Large messages of one end that its peer has not READ yet, by call id. Thread-safe. */
final class OutgoingRendezvous {
  private final BufferPool pool;
  private final Map<Long, RegisteredBuffer> offered = new HashMap<>();
  private boolean closed;

  OutgoingRendezvous(BufferPool pool) {
    this.pool = pool;
  }

  /**
   * Copies a message to registered memory and keeps it there until {@link #release}.
   *
   * @param deadline how long to wait for a buffer; null not to wait
   * @return what the peer needs to READ it
   * @throws RpcException OVERLOADED if no buffer is or came free, MESSAGE_TOO_LARGE, CLOSED
   */
  ByteBuffer offer(long callId, ByteBuffer source, int from, int length, Deadline deadline) {
    RegisteredBuffer buffer = take(length, deadline);
    buffer.memory().put(buffer.offset(), source, from, length);
    RegisteredBuffer former;
    boolean kept;
    synchronized (offered) {
      kept = !closed;
      // A client that is not ours may give two calls one id: it can READ the later answer only.
      former = kept ? offered.put(callId, buffer) : null;
    }
    if (former != null) {
      former.close();
    }
    if (kept) {
      return RendezvousDescriptor.of(buffer).encode();
    }
    buffer.close();
    throw new RpcException(RpcException.Code.DISCONNECTED, false, "the connection is broken", null);
  }

  /** Lets a message go; nothing if there is none. */
  void release(long callId) {
    RegisteredBuffer buffer;
    synchronized (offered) {
      buffer = offered.remove(callId);
    }
    if (buffer != null) {
      buffer.close();
    }
  }

  /** Lets all go; the peer can't READ any more. */
  void close() {
    synchronized (offered) {
      closed = true;
      offered.values().forEach(RegisteredBuffer::close);
      offered.clear();
    }
  }

  private RegisteredBuffer take(int length, Deadline deadline) {
    RegisteredBuffer buffer;
    try {
      buffer = deadline == null ? pool.tryAcquire(length) : pool.acquire(length, deadline);
    } catch (RpcException e) {
      if (e.code() != RpcException.Code.TIMED_OUT) {
        throw e;
      }
      throw overloaded(length, e);
    }
    if (buffer == null) {
      throw overloaded(length, null);
    }
    return buffer;
  }

  private static RpcException overloaded(int length, RpcException cause) {
    return new RpcException(
        RpcException.Code.OVERLOADED,
        false,
        "no registered buffer for a message of " + length + " bytes",
        cause);
  }
}
