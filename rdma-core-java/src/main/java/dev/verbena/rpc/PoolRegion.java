// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.MemoryRegion;
import java.util.Arrays;

/**
 * A registered region dealt out in blocks by the buddy method (Knowlton, 1965): a block of order k
 * is 2^k smallest blocks, aligned to its size; its buddy differs in bit k of the index. Guarded by
 * the pool's lock, except for the addresses, which never change.
 */
final class PoolRegion {
  /** Logarithm of the smallest block's size. */
  static final int BLOCK_SHIFT = 12;

  private static final byte NOT_A_START = -1;

  private final MappedMemory memory;
  private final MemoryRegion registration;
  private final int orders;

  /** Order of the free block that starts at an index, or NOT_A_START. */
  private final byte[] freeOrder;

  /** Order of the block on loan that starts at an index, or NOT_A_START. */
  private final byte[] lentOrder;

  private final int[] firstFree;
  private final int[] next;
  private final int[] previous;
  private int lentBlocks;

  PoolRegion(MappedMemory memory, MemoryRegion registration) {
    this.memory = memory;
    this.registration = registration;
    int blocks = (int) (memory.size() >>> BLOCK_SHIFT);
    orders = 32 - Integer.numberOfLeadingZeros(blocks);
    freeOrder = new byte[blocks];
    lentOrder = new byte[blocks];
    next = new int[blocks];
    previous = new int[blocks];
    firstFree = new int[orders];
    Arrays.fill(freeOrder, NOT_A_START);
    Arrays.fill(lentOrder, NOT_A_START);
    Arrays.fill(firstFree, -1);
    pushFree(0, orders - 1);
  }

  /** Takes a block of at least {@code length} bytes out; -1 if none is free. */
  int take(long length) {
    int order = orderFor(length);
    int from = order;
    while (from < orders && firstFree[from] < 0) {
      from++;
    }
    if (from >= orders) {
      return -1;
    }
    int block = firstFree[from];
    unlink(block);
    while (from > order) {
      from--;
      pushFree(block + (1 << from), from);
    }
    lentOrder[block] = (byte) order;
    lentBlocks++;
    return block;
  }

  /** Puts a block back and joins it with its free buddies. */
  void giveBack(int block) {
    int order = lentOrder[block];
    lentOrder[block] = NOT_A_START;
    lentBlocks--;
    int start = block;
    while (order < orders - 1) {
      int buddy = start ^ (1 << order);
      if (freeOrder[buddy] != order) {
        break;
      }
      unlink(buddy);
      start = Math.min(start, buddy);
      order++;
    }
    pushFree(start, order);
  }

  boolean isIdle() {
    return lentBlocks == 0;
  }

  long size() {
    return memory.size();
  }

  void close() {
    registration.close();
    memory.close();
  }

  MappedMemory memory() {
    return memory;
  }

  long offsetOf(int block) {
    return (long) block << BLOCK_SHIFT;
  }

  long address() {
    return registration.address();
  }

  int localKey() {
    return registration.localKey();
  }

  int remoteKey() {
    return registration.remoteKey();
  }

  private int orderFor(long length) {
    long blocks = (Math.max(1, length) + (1L << BLOCK_SHIFT) - 1) >>> BLOCK_SHIFT;
    return blocks == 1 ? 0 : 64 - Long.numberOfLeadingZeros(blocks - 1);
  }

  private void pushFree(int block, int order) {
    freeOrder[block] = (byte) order;
    previous[block] = -1;
    next[block] = firstFree[order];
    if (next[block] >= 0) {
      previous[next[block]] = block;
    }
    firstFree[order] = block;
  }

  private void unlink(int block) {
    int order = freeOrder[block];
    freeOrder[block] = NOT_A_START;
    if (previous[block] >= 0) {
      next[previous[block]] = next[block];
    } else {
      firstFree[order] = next[block];
    }
    if (next[block] >= 0) {
      previous[next[block]] = previous[block];
    }
  }

  @Override
  public String toString() {
    return "PoolRegion[" + memory + "]";
  }
}
