// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

/** Gives the bytes of a round, partition by partition. */
@FunctionalInterface
public interface RoundSource {
  /**
   * Writes what the round holds for {@code partition} into {@code sink}: exactly the length that
   * was told for it. Called once for each partition with a length above 0, in ascending order.
   */
  void write(int partition, BlockSink sink);
}
