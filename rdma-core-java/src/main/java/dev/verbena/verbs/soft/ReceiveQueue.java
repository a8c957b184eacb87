// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.VerbsException;

/**
 * The RECV ring of one queue pair, which the peer's engine consumes in order. Posters hold the post
 * claim, or that of the shared receive queue that deals the RECVs; the poller retires. Request ids
 * stay here: a peer can't forge one.
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
    begin(number, request.requestId(), request.bufferCount());
    for (int i = 0; i < request.bufferCount(); i++) {
      buffer(number, i, request.bufferAddress(i), request.bufferLength(i), request.bufferKey(i));
    }
    publish(number + 1);
  }

  /** Poster: begins the entry of RECV {@code number}, which is not published yet. */
  void begin(long number, long requestId, int buffers) {
    area.putInt(layout.receiveEntry(number), buffers);
    requestIds[(int) number & mask] = requestId;
  }

  /** Poster: sets a buffer of the entry that was begun. */
  void buffer(long number, int index, long address, int length, int key) {
    long buffer = QueuePairAreaLayout.receiveBuffer(layout.receiveEntry(number), index);
    area.putLong(buffer, address);
    area.putInt(buffer + QueuePairAreaLayout.BUFFER_LENGTH_OFFSET, length);
    area.putInt(buffer + QueuePairAreaLayout.BUFFER_KEY_OFFSET, key);
  }

  /** Poster: RECVs below {@code number} are there for the peer. */
  void publish(long number) {
    posted = number;
    area.putLongRelease(QueuePairAreaLayout.RECEIVES_POSTED_OFFSET, number);
  }

  /** Number of the next RECV to post. */
  long posted() {
    return posted;
  }

  /** Number of the oldest RECV whose completion was not polled. */
  long retired() {
    return retired;
  }

  /** Poller: whether there is a RECV whose completion was not polled. */
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
