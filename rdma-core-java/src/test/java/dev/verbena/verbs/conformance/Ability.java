// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

/** What a test asks of a device beyond the verbs that {@code DeviceCapability} names. */
public enum Ability {
  /** A message that overruns its target's completion queue is acknowledged. */
  ACKNOWLEDGES_WHAT_OVERRUNS,
  /** What an answer would be written to is checked before the request leaves. */
  CHECKS_BUFFERS_OF_ANSWERS_FIRST,
  /** A window opens its own range, and not all of its region. */
  CHECKS_WINDOW_BOUNDS,
  /** RECVs that are flushed need no entries of their completion queue. */
  FLUSHES_WITHOUT_ENTRIES,
  /** The sender of a SEND that is longer than its RECV gets REMOTE_INVALID_REQUEST. */
  NAMES_LONG_SENDS,
  /** A target raises QUEUE_PAIR_ACCESS_ERROR when it refuses a peer's access. */
  RAISES_ACCESS_ERRORS,
  /** Foreign memory that is not aligned is refused to peers that would write. */
  REFUSES_UNALIGNED_MEMORY,
  /** A SEND that waits for a RECV keeps its send queue from being drained. */
  WAITS_FOR_SENDS_TO_DRAIN,
  /** A completion with an error wakes those who wait for solicited ones. */
  WAKES_FOR_ERRORS
}
