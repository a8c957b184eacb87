// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

/** How a commit ended. */
public final class MapOutputCommit {
  private final boolean first;
  private final long[] partitionLengths;

  /** Creates the result; the array is copied. */
  public MapOutputCommit(boolean first, long[] partitionLengths) {
    this.first = first;
    this.partitionLengths = partitionLengths.clone();
  }

  /**
   * Whether this writer's output was kept; false if an output of the same key was there already, in
   * which case this writer's bytes were discarded.
   */
  public boolean first() {
    return first;
  }

  /** Bytes of each partition of the output that is kept; a copy. */
  public long[] partitionLengths() {
    return partitionLengths.clone();
  }
}
