// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

import java.util.Arrays;

/**
 * Where the shares of ascending partitions begin in a segment that is being written. One thread.
 */
public final class PartitionStarts {
  private final int first;

  /** Start of each partition from {@code first} on; {@code covered} of them are in use. */
  private long[] starts = new long[16];

  private int covered = 1;

  /** Begins with the segment's first partition. */
  public PartitionStarts(int firstPartition) {
    this.first = firstPartition;
  }

  /** The first partition. */
  public int first() {
    return first;
  }

  /** Partitions covered. */
  public int count() {
    return covered;
  }

  /** Says that what comes next, at {@code length}, is of a partition not below those before. */
  public void cover(int partition, long length) {
    int needed = partition - first + 1;
    if (needed > starts.length) {
      starts = Arrays.copyOf(starts, Math.max(needed, 2 * starts.length));
    }
    while (covered < needed) {
      starts[covered] = length;
      covered++;
    }
  }

  /** Where each covered partition starts, and the end. */
  public long[] offsets(long length) {
    long[] offsets = Arrays.copyOf(starts, covered + 1);
    offsets[covered] = length;
    return offsets;
  }
}
