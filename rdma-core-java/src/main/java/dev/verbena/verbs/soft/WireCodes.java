// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;

/** The numbers that stand for statuses and opcodes in lanes and frames, and back. */
final class WireCodes {
  private WireCodes() {}

  static int of(CompletionStatus status) {
    return switch (status) {
      case SUCCESS -> 0;
      case LOCAL_LENGTH_ERROR -> 1;
      case LOCAL_QP_OPERATION_ERROR -> 2;
      case LOCAL_PROTECTION_ERROR -> 4;
      case WORK_REQUEST_FLUSHED -> 5;
      case MEMORY_WINDOW_BIND_ERROR -> 6;
      case REMOTE_INVALID_REQUEST -> 9;
      case REMOTE_ACCESS_ERROR -> 10;
      case REMOTE_OPERATION_ERROR -> 11;
      case TRANSPORT_RETRY_EXCEEDED -> 12;
      case RNR_RETRY_EXCEEDED -> 13;
      case GENERAL_ERROR -> 21;
    };
  }

  /** The statuses have the numbers of ibv_wc_status; one that is not used means GENERAL_ERROR. */
  static CompletionStatus status(int code) {
    return switch (code) {
      case 0 -> CompletionStatus.SUCCESS;
      case 1 -> CompletionStatus.LOCAL_LENGTH_ERROR;
      case 2 -> CompletionStatus.LOCAL_QP_OPERATION_ERROR;
      case 4 -> CompletionStatus.LOCAL_PROTECTION_ERROR;
      case 5 -> CompletionStatus.WORK_REQUEST_FLUSHED;
      case 6 -> CompletionStatus.MEMORY_WINDOW_BIND_ERROR;
      case 9 -> CompletionStatus.REMOTE_INVALID_REQUEST;
      case 10 -> CompletionStatus.REMOTE_ACCESS_ERROR;
      case 11 -> CompletionStatus.REMOTE_OPERATION_ERROR;
      case 12 -> CompletionStatus.TRANSPORT_RETRY_EXCEEDED;
      case 13 -> CompletionStatus.RNR_RETRY_EXCEEDED;
      default -> CompletionStatus.GENERAL_ERROR;
    };
  }

  static int of(Opcode opcode) {
    return switch (opcode) {
      case SEND -> 0;
      case WRITE -> 1;
      case READ -> 2;
      case COMPARE_AND_SWAP -> 3;
      case FETCH_AND_ADD -> 4;
      case BIND_WINDOW -> 5;
      case LOCAL_INVALIDATE -> 6;
      case FLUSH -> 8;
      case ATOMIC_WRITE -> 9;
      case RECEIVE -> 128;
      case RECEIVE_WRITE_WITH_IMMEDIATE -> 129;
    };
  }

  /** The opcodes have the numbers of ibv_wc_opcode. */
  static Opcode opcode(int code) {
    return switch (code) {
      case 0 -> Opcode.SEND;
      case 1 -> Opcode.WRITE;
      case 2 -> Opcode.READ;
      case 3 -> Opcode.COMPARE_AND_SWAP;
      case 4 -> Opcode.FETCH_AND_ADD;
      case 5 -> Opcode.BIND_WINDOW;
      case 6 -> Opcode.LOCAL_INVALIDATE;
      case 8 -> Opcode.FLUSH;
      case 9 -> Opcode.ATOMIC_WRITE;
      case 129 -> Opcode.RECEIVE_WRITE_WITH_IMMEDIATE;
      default -> Opcode.RECEIVE;
    };
  }

  /** What a completion of a send queue entry is called. */
  static Opcode completed(int entryOpcode) {
    return switch (entryOpcode) {
      case WorkQueueEntryLayout.WRITE, WorkQueueEntryLayout.WRITE_IMMEDIATE -> Opcode.WRITE;
      case WorkQueueEntryLayout.READ -> Opcode.READ;
      case WorkQueueEntryLayout.COMPARE_AND_SWAP -> Opcode.COMPARE_AND_SWAP;
      case WorkQueueEntryLayout.FETCH_AND_ADD -> Opcode.FETCH_AND_ADD;
      case WorkQueueEntryLayout.UMR -> Opcode.BIND_WINDOW;
      case WorkQueueEntryLayout.LOCAL_INVALIDATE -> Opcode.LOCAL_INVALIDATE;
      case WorkQueueEntryLayout.FLUSH -> Opcode.FLUSH;
      case WorkQueueEntryLayout.ATOMIC_WRITE -> Opcode.ATOMIC_WRITE;
      default -> Opcode.SEND;
    };
  }
}
