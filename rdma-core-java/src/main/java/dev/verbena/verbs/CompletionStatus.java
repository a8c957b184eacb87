// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** How a work request ended: ibv_wc_status of ibv_poll_cq(3). */
public enum CompletionStatus {
  /** Done. */
  SUCCESS,
  /** A local buffer is too short for what arrived, or a message exceeds the device's limit. */
  LOCAL_LENGTH_ERROR,
  /** The entry itself is malformed. */
  LOCAL_QP_OPERATION_ERROR,
  /** A local key or range is not valid for this protection domain and access. */
  LOCAL_PROTECTION_ERROR,
  /** A window can't be bound as asked. */
  MEMORY_WINDOW_BIND_ERROR,
  /** The queue pair went to ERROR before this request was done; it may or may not have run. */
  WORK_REQUEST_FLUSHED,
  /** The remote end can't take the request: too long for its RECV, or unsupported. */
  REMOTE_INVALID_REQUEST,
  /** A remote key, range or permission is wrong. */
  REMOTE_ACCESS_ERROR,
  /** The remote end failed while executing the request. */
  REMOTE_OPERATION_ERROR,
  /** The peer did not answer: connection lost or peer dead. */
  TRANSPORT_RETRY_EXCEEDED,
  /** The peer had no RECV posted for longer than the agreed retries. */
  RNR_RETRY_EXCEEDED,
  /** Anything else; see the vendor error. */
  GENERAL_ERROR
}
