// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.VerbsException;

/**
 * The RECV ring of one queue pair, which the peer's engine consumes in order. Posters hold the post
 * claim; the poller retires. Request ids stay here: a peer can't forge one.
 */
final class ReceiveQueue {
  private final MappedMemory area;
  private final QueuePairAreaLayout layout;
  private final QueuePairAttributes attributes;
  private final long[] requestIds;
  private final int mask;

  private volatile long posted;
  private volatile long retired;

  ReceiveQueue(MappedMemory area, QueuePairAreaLayout layout, QueuePairAttributes attributes) {
    this.area = area;
    this.layout = layout;
    this.attributes = attributes;
    this.requestIds = new long[layout.receiveDepth()];
    this.mask = layout.receiveDepth() - 1;
  }

  void post(ReceiveRequest request) {
    if (request.bufferCount() > attributes.maxBuffers()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          request.bufferCount() + " buffers, the queue pair takes " + attributes.maxBuffers());
    }
    long number = posted;
    if (number - retired >= attributes.maxReceiveRequests()) {
      throw new VerbsException(
          VerbsException.Code.RECEIVE_QUEUE_FULL,
          "the queue pair has its " + attributes.maxReceiveRequests() + " RECVs already");
    }
    long entry = layout.receiveEntry(number);
    area.putInt(entry, request.bufferCount());
    for (int i = 0; i < request.bufferCount(); i++) {
      long buffer = QueuePairAreaLayout.receiveBuffer(entry, i);
      area.putLong(buffer, request.bufferAddress(i));
      area.putInt(buffer + QueuePairAreaLayout.BUFFER_LENGTH_OFFSET, request.bufferLength(i));
      area.putInt(buffer + QueuePairAreaLayout.BUFFER_KEY_OFFSET, request.bufferKey(i));
    }
    requestIds[(int) number & mask] = request.requestId();
    posted = number + 1;
    area.putLongRelease(QueuePairAreaLayout.RECEIVES_POSTED_OFFSET, number + 1);
  }

  /** Poller: the oldest RECV whose completion was not polled, if it is posted. */
  boolean hasUnfinished() {
    return retired < posted;
  }

  /** Poller: takes the oldest RECV out and returns its id. */
  long retire() {
    long number = retired;
    long id = requestIds[(int) number & mask];
    retired = number + 1;
    return id;
  }
}
