// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionStatus;

/**
 * Runs atomics at their target, in host byte order and by the CPU's own atomic instructions: so
 * they are atomic against each other whichever process or carrier they come from. One thread at a
 * time.
 */
final class RemoteQword {
  private final Responder responder;
  private long found;

  RemoteQword(Responder responder) {
    this.responder = responder;
  }

  /** Runs one atomic; after SUCCESS, {@link #found} is what was there before. */
  CompletionStatus run(int opcode, int key, long address, long swapAdd, long compare) {
    RegionAccess region = responder.region();
    RegionAccess.Outcome outcome = region.open(key, address, Long.BYTES, KeyTable.REMOTE_ATOMIC);
    if (outcome != RegionAccess.Outcome.OPEN) {
      return Responder.denied(outcome);
    }
    CompletionStatus status = CompletionStatus.SUCCESS;
    if ((address & (Long.BYTES - 1)) != 0) {
      status = CompletionStatus.REMOTE_INVALID_REQUEST;
    } else if (!responder.isAlive()) {
      status = CompletionStatus.TRANSPORT_RETRY_EXCEEDED;
    } else {
      found = execute(opcode, region.memory(), region.offset(), swapAdd, compare);
    }
    region.close();
    return status;
  }

  private static long execute(
      int opcode, MappedMemory memory, long offset, long swapAdd, long compare) {
    return opcode == WorkQueueEntryLayout.FETCH_AND_ADD
        ? memory.getAndAddLong(offset, swapAdd)
        : memory.compareAndExchangeLong(offset, compare, swapAdd);
  }

  long found() {
    return found;
  }
}
