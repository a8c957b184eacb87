// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SharedReceiveQueueAttributes;

/**
 * The RECVs of a shared receive queue by slot, in the owner's heap. A slot is free, or waits in
 * line, or is dealt to a lane, which remembers it. Used under the shared receive queue's claim.
 */
final class StoredReceives {
  private final int maxBuffers;
  private final long[] requestIds;
  private final int[] bufferCounts;
  private final long[] addresses;
  private final int[] lengths;
  private final int[] keys;
  private final int[] free;
  private final int[] line;
  private int freeCount;
  private int lineHead;
  private int lineCount;

  StoredReceives(SharedReceiveQueueAttributes attributes) {
    int slots = attributes.maxRequests();
    this.maxBuffers = attributes.maxBuffers();
    this.requestIds = new long[slots];
    this.bufferCounts = new int[slots];
    this.addresses = new long[slots * maxBuffers];
    this.lengths = new int[slots * maxBuffers];
    this.keys = new int[slots * maxBuffers];
    this.free = new int[slots];
    this.line = new int[slots];
    for (int i = 0; i < slots; i++) {
      free[i] = i;
    }
    freeCount = slots;
  }

  /** Takes a RECV in, at the end of the line; false if there is no slot. */
  boolean add(ReceiveRequest request) {
    if (freeCount == 0) {
      return false;
    }
    int slot = free[--freeCount];
    requestIds[slot] = request.requestId();
    bufferCounts[slot] = request.bufferCount();
    for (int i = 0; i < request.bufferCount(); i++) {
      addresses[slot * maxBuffers + i] = request.bufferAddress(i);
      lengths[slot * maxBuffers + i] = request.bufferLength(i);
      keys[slot * maxBuffers + i] = request.bufferKey(i);
    }
    queue(slot);
    return true;
  }

  /** RECVs that wait in line. */
  int waiting() {
    return lineCount;
  }

  /** Takes the first of the line out; it is dealt from now on. */
  int next() {
    int slot = line[lineHead];
    lineHead = (lineHead + 1) % line.length;
    lineCount--;
    return slot;
  }

  /** A RECV that was dealt, and not used, waits again. */
  void queue(int slot) {
    line[(lineHead + lineCount) % line.length] = slot;
    lineCount++;
  }

  /** A RECV's completion was polled. */
  void free(int slot) {
    free[freeCount++] = slot;
  }

  /** Writes a RECV into a queue pair's ring as its number {@code number}. */
  void write(int slot, ReceiveQueue to, long number) {
    int count = bufferCounts[slot];
    to.begin(number, requestIds[slot], count);
    for (int i = 0; i < count; i++) {
      int at = slot * maxBuffers + i;
      to.buffer(number, i, addresses[at], lengths[at], keys[at]);
    }
  }
}
