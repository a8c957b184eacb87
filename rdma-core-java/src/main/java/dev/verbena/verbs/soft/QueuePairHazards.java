// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;

/** The hazard slots of one queue pair's area, as its owner looks at them. */
final class QueuePairHazards {
  private final MappedMemory area;

  QueuePairHazards(MappedMemory area) {
    this.area = area;
  }

  /** Whether no peer is between an announcement and its end. */
  boolean areClear() {
    for (int slot = 0; slot < QueuePairAreaLayout.LOCAL_HAZARD; slot++) {
      if (announced(slot) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether the peer announces key slot {@code keySlot}. */
  boolean peerAnnounces(int keySlot) {
    for (int slot = 0; slot < QueuePairAreaLayout.LOCAL_HAZARD; slot++) {
      if (announced(slot) == keySlot + 1L) {
        return true;
      }
    }
    return false;
  }

  /** Whether the owner's engine announces key slot {@code keySlot}. */
  boolean ownerAnnounces(int keySlot) {
    return announced(QueuePairAreaLayout.LOCAL_HAZARD) == keySlot + 1L;
  }

  private long announced(int slot) {
    return area.getLongAcquire(QueuePairAreaLayout.hazard(slot));
  }
}
