// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;

/** Who is behind a key of this process's device. */
sealed interface KeyHolder permits SoftMemoryRegion, SoftMemoryWindow {
  /** Its slot in the key table. */
  int slot();

  /** Whether this is its key now. */
  boolean holds(int key);

  /** Persister: makes durable what a peer's FLUSH names; what it says is checked again. */
  CompletionStatus persist(FlushOrder order);
}
