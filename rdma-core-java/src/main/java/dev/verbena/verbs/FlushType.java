// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** How far a FLUSH brings data: ibv_wr_flush(3), ib_placement_type. */
public enum FlushType {
  /** Whoever reads the peer's memory after the completion sees it. */
  GLOBAL,
  /**
   * As GLOBAL, and it survives what the {@link dev.verbena.memory.PersistentRegion} behind it
   * promises.
   */
  PERSISTENT
}
