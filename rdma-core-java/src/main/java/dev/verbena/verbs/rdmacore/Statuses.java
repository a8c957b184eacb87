// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.CompletionStatus;

/** How enum ibv_wc_status maps. */
final class Statuses {
  private static final CompletionStatus[] BY_NUMBER = {
    CompletionStatus.SUCCESS,
    CompletionStatus.LOCAL_LENGTH_ERROR,
    CompletionStatus.LOCAL_QP_OPERATION_ERROR,
    CompletionStatus.GENERAL_ERROR, // LOC_EEC_OP_ERR, not of reliable connections
    CompletionStatus.LOCAL_PROTECTION_ERROR,
    CompletionStatus.WORK_REQUEST_FLUSHED,
    CompletionStatus.MEMORY_WINDOW_BIND_ERROR,
    CompletionStatus.GENERAL_ERROR, // BAD_RESP_ERR
    CompletionStatus.LOCAL_PROTECTION_ERROR, // LOC_ACCESS_ERR, of a RECV's buffers
    CompletionStatus.REMOTE_INVALID_REQUEST,
    CompletionStatus.REMOTE_ACCESS_ERROR,
    CompletionStatus.REMOTE_OPERATION_ERROR,
    CompletionStatus.TRANSPORT_RETRY_EXCEEDED,
    CompletionStatus.RNR_RETRY_EXCEEDED,
  };

  private Statuses() {}

  static CompletionStatus of(int number) {
    return number >= 0 && number < BY_NUMBER.length
        ? BY_NUMBER[number]
        : CompletionStatus.GENERAL_ERROR;
  }
}
