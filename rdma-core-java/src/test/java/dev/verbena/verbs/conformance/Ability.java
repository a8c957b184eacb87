// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

/** What a test asks of a device beyond the verbs that {@code DeviceCapability} names. */
public enum Ability {
  /** What an answer would be written to is checked before the request leaves. */
  CHECKS_BUFFERS_OF_ANSWERS_FIRST,
  /** The sender of a SEND that is longer than its RECV gets REMOTE_INVALID_REQUEST. */
  NAMES_LONG_SENDS,
  /** A target raises QUEUE_PAIR_ACCESS_ERROR when it refuses a peer's access. */
  RAISES_ACCESS_ERRORS
}
