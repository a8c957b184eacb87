// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;

/**
 * One word in a queue pair's area in which whoever runs an operation announces the key slot it is
 * about to touch (Michael, "Hazard Pointers", 2004). The owner of the memory revokes a key first
 * and waits for the announcements second, so that no copy outlives the key it was checked under.
 */
final class HazardSlot {
  /** Announces the receive queue and lane of the queue pair, not a region. */
  static final int QUEUE = DeviceAreaLayout.MAX_REGIONS;

  private final MappedMemory area;
  private final long offset;

  HazardSlot(MappedMemory area, long offset) {
    this.area = area;
    this.offset = offset;
  }

  /** Announces; checks made after this call hold until {@link #clear}. */
  void announce(int slot) {
    area.putLongRelease(offset, slot + 1L);
    Fences.full();
  }

  void clear() {
    area.putLongRelease(offset, 0);
  }
}
