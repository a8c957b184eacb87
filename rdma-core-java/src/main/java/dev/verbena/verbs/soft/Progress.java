// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/** Why an engine stopped running a send queue. */
enum Progress {
  /** Nothing left that it has not at least started and handed on. */
  IDLE,
  /** It used up the copying one call may do. */
  OUT_OF_BUDGET,
  /** The peer has no RECV posted. */
  RECEIVER_NOT_READY,
  /** The wire takes no more now. */
  WIRE_FULL,
  /** The peer is at it. */
  WAITING,
  /** The queue pair broke. */
  BROKEN
}
