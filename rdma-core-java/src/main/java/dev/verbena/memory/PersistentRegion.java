// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

/**
 * Memory that can be made durable. Pools implement it; a device's FLUSH and the RPC layer's log
 * call it, so the core needs to know nothing of pools. Thread-safe.
 */
public interface PersistentRegion {
  /** The bytes. */
  MappedMemory memory();

  /**
   * Makes a range durable to {@link #domain()} by {@link #method()} before it returns.
   *
   * @param offset first byte, within {@link #memory()}
   * @param length bytes; 0 is allowed and does nothing
   */
  void persist(long offset, long length);

  /** What the range survives after {@link #persist}. */
  DurabilityDomain domain();

  /** How {@link #persist} does it. */
  DurabilityMethod method();
}
