// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** The regions of this process's device by key: what {@link KeyTable} can't tell a peer. */
final class RegionsByKey {
  private final AtomicReferenceArray<SoftMemoryRegion> slots =
      new AtomicReferenceArray<>(DeviceAreaLayout.MAX_REGIONS);

  void enter(SoftMemoryRegion region) {
    slots.set(KeyTable.slot(region.localKey()), region);
  }

  void leave(SoftMemoryRegion region) {
    slots.compareAndSet(KeyTable.slot(region.localKey()), region, null);
  }

  /** The region of exactly that key, or null. */
  SoftMemoryRegion find(int key) {
    SoftMemoryRegion region = slots.get(KeyTable.slot(key));
    return region != null && region.localKey() == key ? region : null;
  }
}
