// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

/** What a test asks of a device beyond the verbs that {@code DeviceCapability} names. */
public enum Ability {
  /** A message that overruns its target's completion queue is acknowledged. */
  ACKNOWLEDGES_WHAT_OVERRUNS,
  /** The sender of an invalidation that its target refuses learns of it by its own completion. */
  ANSWERS_REFUSED_INVALIDATIONS,
  /** A peer can't invalidate a window that is bound to another queue pair. */
  CHECKS_OWNERS_OF_WINDOWS,
  /** A window opens its own range, and not all of its region. */
  CHECKS_WINDOW_BOUNDS,
  /** RECVs that are flushed need no entries of their completion queue; else they overrun it. */
  FLUSHES_WITHOUT_ENTRIES,
  /** The sender of a SEND that is longer than its RECV gets REMOTE_INVALID_REQUEST. */
  NAMES_LONG_SENDS,
  /** There is memory that a FLUSH makes durable. */
  HAS_PERSISTENT_MEMORY,
  /** FLUSH asks the owner's software to persist, which a device with real memory does itself. */
  PERSISTS_BY_SOFTWARE,
  /** A target raises QUEUE_PAIR_ACCESS_ERROR when it refuses a peer's access. */
  RAISES_ACCESS_ERRORS,
  /** Foreign memory that is not aligned is refused to peers that would write. */
  REFUSES_UNALIGNED_MEMORY,
  /** Memory of several GiB registers as one region whose mapping is in pieces. */
  REGISTERS_SPLIT_MAPPINGS,
  /** A bind behind a SEND that waits for a RECV runs once, however often the SEND is sent. */
  RUNS_BINDS_ONCE,
  /** A SEND that waits for a RECV keeps its send queue from being drained. */
  WAITS_FOR_SENDS_TO_DRAIN
}
