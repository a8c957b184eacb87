// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The regions and windows of this process's device by key: what {@link KeyTable} can't tell a peer.
 */
final class RegionsByKey {
  private final AtomicReferenceArray<KeyHolder> slots =
      new AtomicReferenceArray<>(DeviceAreaLayout.MAX_REGIONS);

  void enter(KeyHolder holder) {
    slots.set(holder.slot(), holder);
  }

  void leave(KeyHolder holder) {
    slots.compareAndSet(holder.slot(), holder, null);
  }

  /** Who has exactly that key, or null. */
  KeyHolder find(int key) {
    KeyHolder holder = slots.get(KeyTable.slot(key));
    return holder != null && holder.holds(key) ? holder : null;
  }
}
