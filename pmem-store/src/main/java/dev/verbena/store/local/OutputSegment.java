// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

/** A segment of a map output that is being written. One thread. */
public interface OutputSegment {
  /** Bytes that still fit. */
  long room();

  /** Appends what fits and returns how much that was; partitions come in ascending order. */
  int put(int partition, byte[] source, int offset, int count);
}
