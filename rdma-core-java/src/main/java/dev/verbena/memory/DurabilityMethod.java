// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

/** How bytes are made durable. */
public enum DurabilityMethod {
  /** Nothing is done, and nothing beyond the process is promised. */
  NONE,
  /** msync(2) of the mapped file. */
  MSYNC,
  /** A NIC FLUSH, or cache-line write-back of a DAX mapping. */
  FLUSH,
  /** A one-sided READ that pushes earlier WRITEs out (DDIO off, or eADR). */
  READ_AFTER_WRITE,
  /** The peer's CPU flushes, asked by RPC. */
  REMOTE_PERSIST
}
