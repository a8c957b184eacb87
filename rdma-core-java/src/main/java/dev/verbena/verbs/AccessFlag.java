// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** What a memory region may be used for: ibv_reg_mr(3). Local reads are always allowed. */
public enum AccessFlag {
  /** RECVs, READs and atomics may put data here. Needed for both remote write flags. */
  LOCAL_WRITE,
  /** Peers may WRITE here. */
  REMOTE_WRITE,
  /** Peers may READ here. */
  REMOTE_READ,
  /** Peers may run atomics here. */
  REMOTE_ATOMIC,
  /** Peers may FLUSH what is here to where all see it. */
  FLUSH_GLOBAL,
  /** Peers may FLUSH what is here to persistence. */
  FLUSH_PERSISTENT,
  /** Windows may be bound here, also for remote access that the region itself does not give. */
  WINDOW_BIND
}
