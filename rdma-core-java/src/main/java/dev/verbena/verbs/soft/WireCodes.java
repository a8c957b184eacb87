// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;

/** The numbers that stand for statuses and opcodes in lanes and frames, and back. */
final class WireCodes {
  private static final CompletionStatus[] STATUSES = CompletionStatus.values();
  private static final Opcode[] OPCODES = Opcode.values();

  private WireCodes() {}

  static int of(CompletionStatus status) {
    return status.ordinal();
  }

  static int of(Opcode opcode) {
    return opcode.ordinal();
  }

  static CompletionStatus status(int code) {
    return code < STATUSES.length ? STATUSES[code] : CompletionStatus.GENERAL_ERROR;
  }

  static Opcode opcode(int code) {
    return code < OPCODES.length ? OPCODES[code] : Opcode.RECEIVE;
  }

  /** What a completion of a send queue entry is called. */
  static Opcode completed(int entryOpcode) {
    return switch (entryOpcode) {
      case WorkQueueEntryLayout.WRITE, WorkQueueEntryLayout.WRITE_IMMEDIATE -> Opcode.WRITE;
      case WorkQueueEntryLayout.READ -> Opcode.READ;
      default -> Opcode.SEND;
    };
  }
}
