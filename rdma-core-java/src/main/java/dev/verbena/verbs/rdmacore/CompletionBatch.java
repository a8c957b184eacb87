// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;

/** The completions that one call into native code brought. One thread at a time. */
final class CompletionBatch {
  static final int SIZE = 64;

  private static final int RECEIVE_WITH_IMMEDIATE = 129;

  private final ByteBuffer bytes = NativeMemory.buffer(SIZE * CompletionLayout.SIZE);
  private final long address = NativeMemory.address(bytes);

  /** Takes at most {@code wanted} completions out of a queue; how many, or a negative errno. */
  int poll(long queue, int wanted) {
    return Native.queuePoll(queue, address, Math.min(wanted, SIZE));
  }

  long id(int index) {
    return bytes.getLong(index * CompletionLayout.SIZE + CompletionLayout.ID_OFFSET);
  }

  CompletionStatus status(int index) {
    return Statuses.of(
        bytes.getInt(index * CompletionLayout.SIZE + CompletionLayout.STATUS_OFFSET));
  }

  int queuePair(int index) {
    return bytes.getInt(index * CompletionLayout.SIZE + CompletionLayout.QUEUE_PAIR_OFFSET);
  }

  /** Fills in the completion of a request of a send queue. */
  void fillSend(
      int index, long requestId, CompletionStatus status, Opcode opcode, WorkCompletion into) {
    int at = index * CompletionLayout.SIZE;
    into.set(
        requestId,
        status,
        opcode,
        bytes.getInt(at + CompletionLayout.BYTES_OFFSET),
        queuePair(index),
        false,
        0,
        vendorError(at, status));
  }

  /** Fills in the completion of a RECV. */
  void fillReceive(int index, long requestId, CompletionStatus status, WorkCompletion into) {
    int at = index * CompletionLayout.SIZE;
    int flags =
        status == CompletionStatus.SUCCESS ? bytes.getInt(at + CompletionLayout.FLAGS_OFFSET) : 0;
    boolean hasImmediate = (flags & CompletionLayout.HAS_IMMEDIATE) != 0;
    int immediate = bytes.getInt(at + CompletionLayout.IMMEDIATE_OFFSET);
    into.set(
        requestId,
        status,
        bytes.getInt(at + CompletionLayout.OPCODE_OFFSET) == RECEIVE_WITH_IMMEDIATE
            ? Opcode.RECEIVE_WRITE_WITH_IMMEDIATE
            : Opcode.RECEIVE,
        bytes.getInt(at + CompletionLayout.BYTES_OFFSET),
        queuePair(index),
        hasImmediate,
        hasImmediate ? immediate : 0,
        vendorError(at, status));
    if ((flags & CompletionLayout.HAS_INVALIDATED_KEY) != 0) {
      into.setInvalidatedKey(immediate);
    }
  }

  private int vendorError(int at, CompletionStatus status) {
    return status == CompletionStatus.SUCCESS
        ? 0
        : bytes.getInt(at + CompletionLayout.VENDOR_ERROR_OFFSET);
  }
}
