// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

/**
 * An extent and the number of its pool within the store.
 *
 * @param poolNumber the pool
 * @param extent the extent
 */
public record Placement(int poolNumber, Extent extent) {
  /** Where the record starts. */
  public long recordLocation() {
    return Location.pack(poolNumber, extent.offset());
  }

  /** Where the publish word stands. */
  public long wordLocation() {
    return Location.pack(poolNumber, extent.wordOffset());
  }
}
