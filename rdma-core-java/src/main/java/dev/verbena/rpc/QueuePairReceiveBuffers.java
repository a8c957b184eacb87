// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.ReceiveRequest;

/**
 * Receive buffers of one queue pair alone. Used by the thread that polls, after {@link #postAll}.
 */
final class QueuePairReceiveBuffers implements ReceiveBuffers {
  private final QueuePair queuePair;
  private final RegisteredBuffer memory;
  private final long start;
  private final int bufferSize;
  private final int depth;
  private final ReceiveRequest request = new ReceiveRequest(1);

  /** Buffers in {@code memory} from {@code start} on. */
  QueuePairReceiveBuffers(
      QueuePair queuePair, RegisteredBuffer memory, long start, int bufferSize, int depth) {
    this.queuePair = queuePair;
    this.memory = memory;
    this.start = start;
    this.bufferSize = bufferSize;
    this.depth = depth;
  }

  @Override
  public int bufferSize() {
    return bufferSize;
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public void postAll() {
    for (int i = 0; i < depth; i++) {
      repost(i);
    }
  }

  @Override
  public MappedMemory memory() {
    return memory.memory();
  }

  @Override
  public long offsetOf(long requestId) {
    return memory.offset() + offsetInside(requestId);
  }

  @Override
  public void repost(long requestId) {
    long address = memory.address() + offsetInside(requestId);
    queuePair.postReceive(request.begin(requestId).buffer(address, bufferSize, memory.localKey()));
  }

  private long offsetInside(long requestId) {
    if (requestId < 0 || requestId >= depth) {
      throw new IllegalArgumentException("no receive buffer " + requestId + " of " + depth);
    }
    return start + requestId * bufferSize;
  }
}
