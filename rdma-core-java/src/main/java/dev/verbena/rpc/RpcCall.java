// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;

/**
 * A call that a server received. It is answered once, by any thread; after {@link
 * RpcHandler#handle} has returned and the call is answered, the object belongs to the server again
 * and must not be touched.
 */
public interface RpcCall {
  /** The method's number. */
  int method();

  /**
   * The request, position to limit; big-endian. It is valid until the call is answered, and no
   * longer: copy what must outlive it.
   */
  ByteBuffer request();

  /** Who calls. */
  RpcPeer peer();

  /** By when the caller wants the answer; an answer after it is dropped. */
  Deadline deadline();

  /** One-sided transfers to and from the memory of the caller. */
  BulkChannel bulk();

  /**
   * Answers. The bytes between position and limit are read before this returns.
   *
   * @throws IllegalStateException if the call was answered before
   * @throws RpcException MESSAGE_TOO_LARGE beyond {@link RpcOptions#maxMessage}; OVERLOADED if no
   *     registered buffer came free for a large one; the call then still is to be answered
   */
  void reply(ByteBuffer response);

  /**
   * Answers with a failure: the caller gets a {@link RemoteFailureException}.
   *
   * @param code the method's own code, at least 0
   * @param message for people; cut to what one receive buffer holds
   * @throws IllegalStateException if the call was answered before
   */
  void fail(int code, String message);
}
