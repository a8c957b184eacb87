// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * The steps of the engine at which a {@link FaultPort} can act, each passed right after what it
 * names was done. A step may be passed many times by one operation.
 */
enum FaultStep {
  /** A work request was copied out of the send ring and checked. */
  ENTRY_COPIED,
  /** The requester's own buffer was opened. */
  BUFFER_OPENED,
  /** A remote key's slot stands in the hazard slot; the key was not looked at. */
  KEY_ANNOUNCED,
  /** The key was found good. */
  KEY_CHECKED,
  /** The first half of a run of bytes was copied. */
  PARTLY_COPIED,
  /** A run of bytes was copied under one announcement. */
  COPIED,
  /** A qword was operated on. */
  QWORD_DONE,
  /** The announcement of a key was withdrawn. */
  HAZARD_CLEARED,
  /** The receive queue is announced; the queue pair's state was not looked at. */
  QUEUE_ANNOUNCED,
  /** A RECV was taken. */
  RECEIVE_TAKEN,
  /** A RECV's completion was written into the lane. */
  COMPLETION_WRITTEN,
  /** The armed word was read, and disarmed if it was armed. */
  ARMED_READ,
  /** The announcement of the receive queue was withdrawn. */
  QUEUE_CLEARED,
  /** The peer's device thread was woken for a completion. */
  WOKEN,
  /** A window was bound. */
  WINDOW_BOUND,
  /** A window's key was shut, by its owner or by the peer; who is inside was not waited for. */
  WINDOW_SHUT,
  /** A FLUSH was left for the owner of the memory. */
  FLUSH_ASKED,
  /** The owner found the FLUSH. */
  FLUSH_TAKEN,
  /** The owner persisted, and has not answered. */
  FLUSH_PERSISTED,
  /** An errand was left for the owner of the memory. */
  ERRAND_ASKED,
  /** The owner found the errand. */
  ERRAND_TAKEN,
  /** The owner did the errand, and has not answered. */
  ERRAND_DONE,
  /** The owner answered an errand or a FLUSH in the area, and has not told the requester. */
  ANSWER_WRITTEN,
  /** A shared receive queue dealt RECVs to a lane. */
  RECEIVE_DEALT,
  /** A shared receive queue recalled RECVs from a lane. */
  RECEIVE_RECALLED,
  /** tcp: a frame was built; {@code drop} and {@code duplicate} act on it. */
  FRAME_BUILT,
  /** tcp: the socket took what it would of the frames built. */
  FRAME_SENT,
  /** tcp: a whole frame came in. */
  FRAME_RECEIVED,
  /** tcp: the target executed a frame of a request. */
  EXECUTED,
  /** tcp: the target put an answer in line. */
  ANSWERED,
  /** tcp: the requester found the request that an answer belongs to. */
  ANSWER_TAKEN,
  /** A work request counts as done; its completion, if it wants one, was written. */
  COMPLETED
}
