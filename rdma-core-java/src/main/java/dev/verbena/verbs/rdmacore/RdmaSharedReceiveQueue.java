// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;

/** A shared receive queue, whose RECVs complete in any order, at any of its queue pairs. */
final class RdmaSharedReceiveQueue implements SharedReceiveQueue, WorkQueue, AutoCloseable {
  private final RdmaProtectionDomain domain;
  private final RdmaDevice device;
  private final SharedReceiveQueueAttributes attributes;
  private final long handle;
  private final ByteBuffer entry;
  private final long address;
  private final long[] requestIds;

  /** Null where the device itself tells what was wrong. */
  private final ReceiveNotes notes;

  /** Places that are free, as a stack. */
  private final int[] free;

  private final int number;
  private int freeCount;
  private int limit;
  private boolean closed;

  RdmaSharedReceiveQueue(RdmaProtectionDomain domain, SharedReceiveQueueAttributes attributes) {
    this.domain = domain;
    this.device = domain.device();
    this.attributes = attributes;
    int depth = attributes.maxRequests();
    this.handle =
        Failures.check(
            Native.sharedCreate(domain.handle(), depth, attributes.maxBuffers()),
            "creating a shared receive queue of " + depth + " RECVs on " + device.name());
    this.entry = NativeMemory.buffer(ReceiveLayout.size(attributes.maxBuffers()));
    this.address = NativeMemory.address(entry);
    this.requestIds = new long[depth];
    this.notes = device.isSoftRoce() ? new ReceiveNotes(domain, depth) : null;
    this.free = new int[depth];
    for (int i = 0; i < depth; i++) {
      free[i] = i;
    }
    this.freeCount = depth;
    this.number = device.workQueues().enter(this);
    device.enter(handle, this);
  }

  long handle() {
    return handle;
  }

  RdmaProtectionDomain domain() {
    return domain;
  }

  @Override
  public SharedReceiveQueueAttributes attributes() {
    return attributes;
  }

  @Override
  public synchronized void postReceive(ReceiveRequest request) {
    if (request.bufferCount() > attributes.maxBuffers()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          request.bufferCount() + " buffers, the queue takes " + attributes.maxBuffers());
    }
    if (freeCount == 0) {
      throw new VerbsException(
          VerbsException.Code.RECEIVE_QUEUE_FULL,
          this + " has its " + attributes.maxRequests() + " RECVs already");
    }
    int slot = free[freeCount - 1];
    ReceiveLayout.write(entry, CompletionId.of(number, slot), request);
    requestIds[slot] = request.requestId();
    if (notes != null) {
      notes.posted(slot, request);
    }
    int result = Native.sharedPost(handle, address);
    if (result < 0) {
      throw Failures.of(result, "posting a RECV to " + this);
    }
    freeCount--;
  }

  @Override
  public void armLimit(int wanted) {
    if (wanted < 0 || wanted > attributes.maxRequests()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "limit " + wanted + " of a queue of " + attributes.maxRequests() + " RECVs");
    }
    synchronized (this) {
      // The device compares when it next takes a RECV, which may never be.
      if (attributes.maxRequests() - freeCount >= wanted) {
        Failures.check(Native.sharedLimit(handle, wanted), "arming the limit of " + this);
        limit = wanted;
        return;
      }
    }
    limitReached();
  }

  @Override
  public synchronized int limit() {
    return limit;
  }

  /** The device says that fewer RECVs are left than the limit. */
  void limitReached() {
    synchronized (this) {
      limit = 0;
    }
    device
        .events()
        .raise(
            new AsyncEvent.OfSharedReceiveQueue(
                AsyncEvent.Type.SHARED_RECEIVE_LIMIT_REACHED, this));
  }

  @Override
  public synchronized boolean complete(
      int slot, CompletionBatch from, int index, WorkCompletion into) {
    CompletionStatus status = from.status(index);
    if (notes != null) {
      status = notes.status(slot, status);
    }
    from.fillReceive(index, requestIds[slot], status, into);
    if (notes != null) {
      notes.received(into);
    }
    free[freeCount++] = slot;
    if (status != CompletionStatus.SUCCESS) {
      device.failed(from.queuePair(index), status);
    }
    return true;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      Failures.check(Native.sharedDestroy(handle), "closing " + this);
      closed = true;
    }
    device.leave(handle);
    device.workQueues().leave(number);
    device.events().forget(this);
    domain.release(this);
  }

  @Override
  public String toString() {
    return "shared receive queue " + number + " of " + device.name();
  }
}
