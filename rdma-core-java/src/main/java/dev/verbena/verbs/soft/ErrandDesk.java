// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the errands that a shm peer leaves in a queue pair's area; the other half is {@link Errand}.
 * Device thread only.
 */
final class ErrandDesk {
  private static final Logger LOG = LoggerFactory.getLogger(ErrandDesk.class);

  private final SoftQueuePair queuePair;
  private final MappedMemory area;
  private final ShmLink link;
  private final RegionAccess own;
  private final RegionAccess bounce;
  private final FaultPort faults;
  private long served;

  ErrandDesk(SoftQueuePair queuePair, ShmLink link, MappedMemory peerArea) {
    SoftDevice device = queuePair.domain().device();
    this.queuePair = queuePair;
    this.faults = device.faults();
    this.area = queuePair.area();
    this.link = link;
    this.own =
        Responder.regionAccess(
            area, QueuePairAreaLayout.ERRAND_HAZARD, device.keys(), device.segments(), faults);
    this.bounce =
        Responder.regionAccess(
            peerArea,
            QueuePairAreaLayout.BOUNCE_HAZARD,
            link.peerKeys(),
            link.peerSegments(),
            faults);
  }

  void serve() {
    long asked = area.getLongAcquire(ErrandLayout.ASKED_OFFSET);
    if (asked == served) {
      return;
    }
    served = asked;
    faults.at(FaultStep.ERRAND_TAKEN);
    area.putLong(ErrandLayout.STATUS_OFFSET, WireCodes.of(outcome()));
    faults.at(FaultStep.ERRAND_DONE);
    area.putLongRelease(ErrandLayout.DONE_OFFSET, asked);
    faults.at(FaultStep.ANSWER_WRITTEN);
    link.tellErrandDone();
  }

  private CompletionStatus outcome() {
    try {
      return run();
    } catch (InternalError | RuntimeException e) {
      LOG.error("{} failed on an errand of {}", queuePair, link, e);
      own.letGo();
      bounce.letGo();
      return CompletionStatus.REMOTE_OPERATION_ERROR;
    }
  }

  private CompletionStatus run() {
    int opcode = area.getInt(ErrandLayout.OPCODE_OFFSET);
    int length = area.getInt(ErrandLayout.LENGTH_OFFSET);
    long address = area.getLong(ErrandLayout.ADDRESS_OFFSET);
    if (length < 0
        || length > ErrandLayout.MAX_LENGTH
        || (!isCopy(opcode) && length != Long.BYTES)) {
      return CompletionStatus.REMOTE_INVALID_REQUEST;
    }
    RegionAccess.Outcome outcome =
        own.open(area.getInt(ErrandLayout.KEY_OFFSET), address, length, access(opcode));
    if (outcome != RegionAccess.Outcome.OPEN) {
      return Responder.denied(outcome);
    }
    try {
      if (!queuePair.isLettingIn()) {
        return CompletionStatus.TRANSPORT_RETRY_EXCEEDED;
      }
      return isCopy(opcode) ? copy(opcode, length) : qword(opcode, address);
    } finally {
      own.close();
    }
  }

  private static boolean isCopy(int opcode) {
    return opcode == WorkQueueEntryLayout.WRITE
        || opcode == WorkQueueEntryLayout.READ
        || opcode == WorkQueueEntryLayout.SEND;
  }

  private static int access(int opcode) {
    return switch (opcode) {
      case WorkQueueEntryLayout.WRITE, WorkQueueEntryLayout.ATOMIC_WRITE -> KeyTable.REMOTE_WRITE;
      case WorkQueueEntryLayout.READ -> KeyTable.REMOTE_READ;
      case WorkQueueEntryLayout.SEND -> KeyTable.LOCAL_WRITE;
      default -> KeyTable.REMOTE_ATOMIC;
    };
  }

  private CompletionStatus copy(int opcode, int length) {
    boolean isRead = opcode == WorkQueueEntryLayout.READ;
    RegionAccess.Outcome outcome =
        bounce.open(
            area.getInt(ErrandLayout.BOUNCE_KEY_OFFSET),
            area.getLong(ErrandLayout.BOUNCE_ADDRESS_OFFSET),
            length,
            isRead ? KeyTable.LOCAL_WRITE : 0);
    if (outcome != RegionAccess.Outcome.OPEN) {
      return CompletionStatus.REMOTE_OPERATION_ERROR;
    }
    try {
      if (isRead) {
        own.memory().copyTo(own.offset(), bounce.memory(), bounce.offset(), length);
      } else {
        bounce.memory().copyTo(bounce.offset(), own.memory(), own.offset(), length);
      }
      own.requireWhole();
      bounce.requireWhole();
      return CompletionStatus.SUCCESS;
    } finally {
      bounce.close();
    }
  }

  private CompletionStatus qword(int opcode, long address) {
    if ((address & (Long.BYTES - 1)) != 0) {
      return CompletionStatus.REMOTE_INVALID_REQUEST;
    }
    long found =
        RemoteQword.execute(
            opcode,
            own.memory(),
            own.offset(),
            area.getLong(ErrandLayout.SWAP_ADD_OFFSET),
            area.getLong(ErrandLayout.COMPARE_OFFSET));
    own.requireWhole();
    area.putLong(ErrandLayout.FOUND_OFFSET, found);
    return CompletionStatus.SUCCESS;
  }
}
