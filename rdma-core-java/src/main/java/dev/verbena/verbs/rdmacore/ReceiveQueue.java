// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;

/** The receive queue of a queue pair, whose RECVs complete in order. */
final class ReceiveQueue implements WorkQueue {
  private final RdmaQueuePair queuePair;
  private final QueuePairAttributes attributes;
  private final ByteBuffer entry;
  private final long address;
  private final long[] requestIds;

  /** Null where the device itself tells what was wrong. */
  private final ReceiveNotes notes;

  private final int mask;
  private final int number;
  private volatile long posted;
  private volatile long completed;

  ReceiveQueue(
      RdmaQueuePair queuePair, RdmaProtectionDomain domain, QueuePairAttributes attributes) {
    RdmaDevice device = domain.device();
    this.queuePair = queuePair;
    this.attributes = attributes;
    this.entry = NativeMemory.buffer(ReceiveLayout.size(attributes.maxBuffers()));
    this.address = NativeMemory.address(entry);
    int slots = Integer.highestOneBit(attributes.maxReceiveRequests()) * 2;
    this.requestIds = new long[slots];
    this.notes = device.isSoftRoce() ? new ReceiveNotes(domain, slots) : null;
    this.mask = slots - 1;
    this.number = device.workQueues().enter(this);
  }

  int number() {
    return number;
  }

  /** Poster: posts a RECV. */
  void post(ReceiveRequest request) {
    if (request.bufferCount() > attributes.maxBuffers()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          request.bufferCount() + " buffers, the queue pair takes " + attributes.maxBuffers());
    }
    if (posted - completed >= attributes.maxReceiveRequests()) {
      throw new VerbsException(
          VerbsException.Code.RECEIVE_QUEUE_FULL,
          queuePair + " has its " + attributes.maxReceiveRequests() + " RECVs already");
    }
    requestIds[(int) posted & mask] = request.requestId();
    if (notes != null) {
      notes.posted((int) posted & mask, request);
    }
    ReceiveLayout.write(entry, CompletionId.of(number, posted), request);
    int result = Native.postReceive(queuePair.handle(), address);
    if (result < 0) {
      throw Failures.of(result, "posting a RECV to " + queuePair);
    }
    long next = posted + 1;
    posted = next;
  }

  boolean isFinished() {
    return posted == completed;
  }

  @Override
  public boolean complete(int request, CompletionBatch from, int index, WorkCompletion into) {
    long done = CompletionId.extend(request, completed);
    CompletionStatus status = from.status(index);
    if (notes != null) {
      status = notes.status((int) done & mask, status);
    }
    from.fillReceive(index, requestIds[(int) done & mask], status, into);
    if (notes != null) {
      notes.received(into);
    }
    completed = done + 1;
    if (status != CompletionStatus.SUCCESS) {
      queuePair.failed(status);
    }
    return true;
  }
}
