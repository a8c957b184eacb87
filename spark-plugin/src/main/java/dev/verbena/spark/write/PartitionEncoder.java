// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.io.IOException;

/**
 * Turns a partition's serialized records into the bytes of its block, as {@code
 * SerializerManager.wrapStream} would. One thread, one map output.
 */
interface PartitionEncoder {
  /**
   * Encodes what a round holds for a partition, which may be nothing in the last round.
   *
   * @param last whether no further round follows
   * @param sink takes the encoded bytes
   */
  void encode(int partition, PartitionBuffers records, boolean last, PieceSink sink)
      throws IOException;

  /** Gives up what it holds, after a failure before the last round. */
  default void abandon() throws IOException {}
}
