// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.util.Arrays;

/** Chunks by number: where each starts, its size, and the next one of its partition. */
final class ChunkTable {
  private static final int NONE = -1;

  private int[] start = new int[1024];
  private int[] size = new int[1024];
  private int[] next = new int[1024];
  private int count;

  int add(int chunkStart, int chunkSize) {
    if (count == start.length) {
      start = Arrays.copyOf(start, count * 2);
      size = Arrays.copyOf(size, count * 2);
      next = Arrays.copyOf(next, count * 2);
    }
    start[count] = chunkStart;
    size[count] = chunkSize;
    next[count] = NONE;
    return count++;
  }

  void link(int chunk, int following) {
    next[chunk] = following;
  }

  int start(int chunk) {
    return start[chunk];
  }

  int size(int chunk) {
    return size[chunk];
  }

  int next(int chunk) {
    return next[chunk];
  }
}
