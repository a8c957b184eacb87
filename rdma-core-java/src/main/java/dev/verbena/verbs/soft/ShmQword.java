// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;
import java.nio.ByteBuffer;

/**
 * An operation on a qword over shm as its requester sees it: done here, or by the owner where its
 * memory can't be mapped. Used under the run claim.
 */
final class ShmQword {
  private final RemoteQword remote;
  private final Errand errand;
  private long found;

  ShmQword(RemoteQword remote, Errand errand) {
    this.remote = remote;
    this.errand = errand;
  }

  /** Begins or goes on with an entry; null while the owner is at it. */
  CompletionStatus run(WorkEntry entry) {
    if (errand.isWaiting()) {
      CompletionStatus answer = errand.answer();
      if (answer == CompletionStatus.SUCCESS) {
        found = errand.found();
      }
      return answer;
    }
    ByteBuffer bytes = entry.bytes();
    int operands = WorkQueueEntryLayout.OPERANDS;
    CompletionStatus status =
        remote.run(entry.opcode(), entry.remoteKey(), entry.remoteAddress(), bytes, operands);
    if (status != CompletionStatus.REMOTE_OPERATION_ERROR) {
      found = remote.found();
      return status;
    }
    errand.askQword(
        entry.opcode(),
        entry.remoteKey(),
        entry.remoteAddress(),
        bytes.getLong(operands + WorkQueueEntryLayout.SWAP_ADD_OFFSET),
        bytes.getLong(operands + WorkQueueEntryLayout.COMPARE_OFFSET));
    return null;
  }

  /** What an atomic found, after its SUCCESS. */
  long found() {
    return found;
  }
}
