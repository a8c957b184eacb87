// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.memory.MappedMemory;

/**
 * Where incoming messages land. A connection has its own, or shares those of a shared receive
 * queue. Buffers are named by the request id of the completion that tells they were filled.
 */
interface ReceiveBuffers {
  /** Bytes of a buffer. */
  int bufferSize();

  /** Buffers that one peer may fill before it gets credits back. */
  int depth();

  /** Posts all of them; before the connection is made. */
  void postAll();

  /** The memory that the buffers are in. */
  MappedMemory memory();

  /**
   * Where a buffer begins in {@link #memory()}.
   *
   * @throws IllegalArgumentException if there is no such buffer
   */
  long offsetOf(long requestId);

  /** Posts a buffer again whose contents are not needed any more. */
  void repost(long requestId);
}
