// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.util.List;

/**
 * What a store holds. A snapshot: its numbers may be of slightly different moments.
 *
 * @param pools each pool, the primary one first
 * @param mapOutputs committed map outputs
 * @param blockBytes bytes of their blocks
 * @param overflowed whether the primary pool was ever too full
 */
public record StoreUsage(
    List<PoolUsage> pools, long mapOutputs, long blockBytes, boolean overflowed) {

  /** Copies the list. */
  public StoreUsage {
    pools = List.copyOf(pools);
  }

  /** Bytes of all pools. */
  public long size() {
    return pools.stream().mapToLong(PoolUsage::size).sum();
  }

  /** Bytes in use in all pools, whole chunks counted. */
  public long used() {
    return pools.stream().mapToLong(PoolUsage::used).sum();
  }
}
