// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A client's authenticated connection to a server: calls on one queue pair, bulk transfers on
 * another. Thread-safe; many threads share one. A broken connection stays broken: connect again.
 *
 * <p>Requests are the bytes between a buffer's position and limit; they are read before the method
 * returns, and the position is left as it is.
 */
public interface RpcConnection extends AutoCloseable {
  /**
   * Calls and waits. The calling thread polls for the answer itself unless another one does.
   *
   * @return the response in a new heap buffer, position 0 to limit
   * @throws RpcException with the reason as its code
   */
  ByteBuffer call(int method, ByteBuffer request, Deadline deadline);

  /**
   * As {@link #call(int, ByteBuffer, Deadline)}, and puts the response at {@code response}'s
   * position, which advances. Allocates nothing if the response fits a receive buffer.
   *
   * @return bytes of the response
   * @throws RpcException also MESSAGE_TOO_LARGE if {@code response} has too little room; the call
   *     did run
   */
  int call(int method, ByteBuffer request, ByteBuffer response, Deadline deadline);

  /**
   * Calls without waiting for the answer. A large request may wait, until the deadline, for a
   * registered buffer.
   *
   * @return completed with the response, or exceptionally with an {@link RpcException}, by the
   *     thread that polls: dependent stages must be short, or asynchronous
   */
  CompletableFuture<ByteBuffer> callAsync(int method, ByteBuffer request, Deadline deadline);

  /**
   * Sends a request that is not answered. Returns once it is handed to the device or queued for it;
   * that the peer gets it is not promised.
   */
  void send(int method, ByteBuffer request, Deadline deadline);

  /** One-sided transfers to and from the server's memory. */
  BulkChannel bulk();

  /** The server. */
  RpcPeer peer();

  /** Changes with each start of the server: what one incarnation said means nothing to another. */
  long serverIncarnation();

  /** What carries the calls: "shm", "tcp", "rxe" or a hardware's name. */
  String carrier();

  /** Whether it is neither closed nor broken, as far as this end knows. */
  boolean isOpen();

  /**
   * Disconnects; open calls end with CLOSED. Returns when no completion is outstanding any more.
   * Closing twice has no effect.
   */
  @Override
  void close();
}
