// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionStatus;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * Runs atomics and ATOMIC_WRITE at their target, in host byte order and by the CPU's own atomic
 * instructions: so they are atomic against each other whichever process or carrier they come from.
 * One thread at a time.
 */
final class RemoteQword {
  private final Responder responder;
  private final FaultPort faults;
  private final BooleanSupplier forOthers;
  private long found;

  /**
   * Creates the operations on a responder's memory.
   *
   * @param forOthers whether the thread that runs them may serve others: then faults that the JVM
   *     holds back for it must end the operation that they are of
   */
  RemoteQword(Responder responder, FaultPort faults, BooleanSupplier forOthers) {
    this.faults = faults;
    this.forOthers = forOthers;
    this.responder = responder;
  }

  /**
   * Runs one operation, whose operands are at index {@code at}; after the SUCCESS of an atomic,
   * {@link #found} is what was there before.
   */
  CompletionStatus run(int opcode, int key, long address, ByteBuffer operands, int at) {
    RegionAccess region = responder.region();
    boolean isWrite = opcode == WorkQueueEntryLayout.ATOMIC_WRITE;
    RegionAccess.Outcome outcome =
        region.open(
            key, address, Long.BYTES, isWrite ? KeyTable.REMOTE_WRITE : KeyTable.REMOTE_ATOMIC);
    if (outcome != RegionAccess.Outcome.OPEN) {
      return Responder.denied(outcome);
    }
    CompletionStatus status = CompletionStatus.SUCCESS;
    if ((address & (Long.BYTES - 1)) != 0) {
      status = CompletionStatus.REMOTE_INVALID_REQUEST;
    } else if (!responder.isAlive()) {
      status = CompletionStatus.TRANSPORT_RETRY_EXCEEDED;
    } else {
      found =
          execute(
              opcode,
              region.memory(),
              region.offset(),
              operands.getLong(at + WorkQueueEntryLayout.SWAP_ADD_OFFSET),
              operands.getLong(at + WorkQueueEntryLayout.COMPARE_OFFSET));
      if (forOthers.getAsBoolean()) {
        region.requireWhole();
      }
      faults.at(FaultStep.QWORD_DONE);
    }
    region.close();
    return status;
  }

  /** Runs one operation on a qword; returns what was there before, 0 for a write. */
  static long execute(int opcode, MappedMemory memory, long offset, long value, long compare) {
    return switch (opcode) {
      case WorkQueueEntryLayout.ATOMIC_WRITE -> {
        memory.putLongRelease(offset, value);
        yield 0;
      }
      case WorkQueueEntryLayout.FETCH_AND_ADD -> memory.getAndAddLong(offset, value);
      default -> memory.compareAndExchangeLong(offset, compare, value);
    };
  }

  long found() {
    return found;
  }
}
