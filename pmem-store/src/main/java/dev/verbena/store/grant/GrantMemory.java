// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.verbs.MemoryRegion;
import java.util.Optional;

/** The registered pools of a store. Thread-safe. */
@FunctionalInterface
public interface GrantMemory {
  /**
   * The region that a pool is registered in as a whole, made if need be: with LOCAL_WRITE, and
   * WINDOW_BIND where windows open parts of it. Empty if the device can't register such memory.
   */
  Optional<MemoryRegion> region(int poolNumber);
}
