// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.spark.node.ShuffleNode;
import org.apache.spark.network.shuffle.BlockStoreClient;

/** Makes what readers fetch with, for tests of other packages. */
public final class BlockClients {
  private BlockClients() {}

  /** A client of one task. */
  public static BlockStoreClient create(
      ShuffleNode node, BlockStoreClient netty, ReadCounters counters) {
    return new VerbenaBlockStoreClient(node, netty, counters);
  }
}
