// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A committed map output, pinned: until {@link #close} its bytes stay where they are, even if it is
 * removed meanwhile. Thread-safe.
 *
 * <p>A range of partitions is laid out round by round: what the first round brought for all of
 * them, then the second, and so on. For a single partition, and for any range of an output of one
 * round, that is plain partition order; for more rounds it is not, but what one round brought for a
 * partition stays together.
 */
public interface StoredMapOutput extends AutoCloseable {
  /** What it is. */
  MapOutputKey key();

  /** Number of partitions. */
  int partitions();

  /** Bytes of a partition. */
  long partitionLength(int partition);

  /** Bytes of each partition. */
  long[] partitionLengths();

  /** Bytes of the partitions from {@code first} to before {@code end}. */
  long rangeLength(int first, int end);

  /** The checksums given at commit, a copy; empty if there were none. */
  long[] checksums();

  /**
   * Opens a range of partitions. The stream holds its own pin until it is closed or read to its
   * end. With verification on, the first read of a segment checks it whole and throws CORRUPT on a
   * mismatch.
   */
  InputStream open(int first, int end);

  /**
   * Copies part of a range to an absolute index of {@code target}, whose position stays.
   *
   * @param position first byte within the range
   * @throws IndexOutOfBoundsException if position and length leave the range
   */
  void read(int first, int end, long position, ByteBuffer target, int targetIndex, int length);

  /** Lets go. Closing twice has no effect. */
  @Override
  void close();
}
