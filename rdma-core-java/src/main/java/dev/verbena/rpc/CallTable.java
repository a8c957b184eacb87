// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The open calls of a connection. Ids rise; a slot is found from the id alone. Thread-safe. */
final class CallTable {
  private final AtomicReferenceArray<CallSlot> slots;
  private final int mask;
  private final int most;
  private int open;
  private long lastId;

  CallTable(int maxOutstanding) {
    int size = Integer.highestOneBit(Math.max(1, 2 * maxOutstanding - 1));
    slots = new AtomicReferenceArray<>(size);
    mask = size - 1;
    most = maxOutstanding;
  }

  /**
   * Opens a call.
   *
   * @throws RpcException OVERLOADED if as many are open as may be
   */
  synchronized CallSlot open(
      ByteBuffer target, CompletableFuture<ByteBuffer> future, long deadline) {
    if (open == most) {
      throw new RpcException(
          RpcException.Code.OVERLOADED, false, most + " calls are open on the connection", null);
    }
    while (true) {
      long id = ++lastId;
      int index = (int) (id & mask);
      CallSlot slot = slots.get(index);
      if (slot == null) {
        slot = new CallSlot();
        slots.set(index, slot);
      }
      if (slot.isFree()) {
        open++;
        slot.open(id, target, future, deadline);
        return slot;
      }
    }
  }

  /** An id that no call has: for messages that are not answered. */
  synchronized long nextId() {
    return ++lastId;
  }

  /** Whether such an id was given out. */
  synchronized boolean isKnown(long id) {
    return id > 0 && id <= lastId;
  }

  /** The slot where the call is, if it is still open; null if there never was one. */
  CallSlot find(long id) {
    return slots.get((int) (id & mask));
  }

  /** Ends a call whose outcome has been taken, or that was abandoned. */
  synchronized void free(CallSlot slot) {
    slot.free();
    open--;
  }

  int size() {
    return slots.length();
  }

  /** The slot at an index; null if it was never used. */
  CallSlot at(int index) {
    return slots.get(index);
  }
}
