// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Writes one map output in one or more rounds. Within a round partitions are appended to in
 * ascending order, with lengths that nobody needs to know beforehand. A partition's block is what
 * was appended to it, in the order it was appended; it may be of any length.
 *
 * <p>Nothing is visible before {@link #commit}; without it everything is given back by {@link
 * #close}. One thread at a time. Running out of space is a {@link StoreException} POOL_FULL, or
 * QUOTA_EXCEEDED if it is the application's share that is used up, after which only {@link #abort}
 * or {@link #close} make sense.
 */
public interface MapOutputWriter extends AutoCloseable {
  /** What is written. */
  MapOutputKey key();

  /** Number of partitions. */
  int partitions();

  /**
   * Appends to a partition.
   *
   * @throws StoreException INVALID_ARGUMENT if {@code partition} is below the last one appended to
   *     since the writer was opened or since the last round
   */
  void append(int partition, byte[] source, int offset, int length);

  /** Appends the remaining bytes of {@code source}, and moves its position to its limit. */
  void append(int partition, ByteBuffer source);

  /**
   * A stream that appends to a partition; {@link OutputStream#close} and {@code flush} have no
   * effect. Single bytes are slow: wrap it.
   */
  OutputStream streamTo(int partition);

  /**
   * Begins a round: partitions may be appended to from 0 up again, behind what they hold. What was
   * appended before takes up whole chunks, so rounds of a few KiB waste space.
   */
  void startRound();

  /** Bytes appended to a partition so far. */
  long partitionLength(int partition);

  /**
   * Publishes the output, durable to the store's domain, at once: readers see all of it or nothing.
   * The first commit of a key wins; a later one is discarded and told what was kept.
   *
   * @param checksums one value for each partition, to be read back as they are, or an empty array
   */
  MapOutputCommit commit(long[] checksums);

  /** Gives back everything written. Has no effect after {@link #commit}. */
  void abort();

  /** Aborts unless committed. */
  @Override
  void close();
}
