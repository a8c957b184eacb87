// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** What a device may lack: device_cap_flags of ibv_query_device_ex(3). Ask before connecting. */
public enum DeviceCapability {
  /** Compare and swap, fetch and add. */
  ATOMICS,
  /** FLUSH of type GLOBAL. */
  FLUSH_GLOBAL,
  /**
   * FLUSH of type PERSISTENT, of persistent memory at least: of memory that cache-line write-back
   * makes durable.
   */
  FLUSH_PERSISTENT,
  /**
   * FLUSH of type PERSISTENT of all memory that can be made durable: the device calls {@link
   * dev.verbena.memory.PersistentRegion#persist}.
   */
  FLUSH_ANY_MEMORY,
  /** ATOMIC_WRITE. */
  ATOMIC_WRITE,
  /** Memory windows that are bound to a queue pair. */
  MEMORY_WINDOW_TYPE_2B,
  /** A window keeps peers within its own bounds, and not only within those of its region. */
  WINDOW_BOUNDS
}
