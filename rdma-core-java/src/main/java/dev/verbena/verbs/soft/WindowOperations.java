// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;

/** Runs binds and local invalidates of one send queue. Used under the run claim. */
final class WindowOperations {
  private final SoftQueuePair queuePair;
  private final SoftDevice device;
  private boolean invalidated;
  private boolean waiting;
  private long waitingSince;

  WindowOperations(SoftQueuePair queuePair, SoftDevice device) {
    this.queuePair = queuePair;
    this.device = device;
  }

  /** Begins or goes on with an entry; null while an access through the window is under way. */
  CompletionStatus run(WorkEntry entry) {
    CompletionStatus status =
        entry.opcode() == WorkQueueEntryLayout.UMR ? bind(entry) : invalidate(entry.immediate());
    if (status == null) {
      status = patience();
    }
    if (status != null) {
      waiting = false;
      invalidated = false;
    }
    return status;
  }

  private CompletionStatus bind(WorkEntry entry) {
    KeyHolder window = device.regions().find(entry.immediate());
    KeyHolder region =
        device.regions().find(entry.bytes().getInt(WorkQueueEntryLayout.BIND_REGION_OFFSET));
    if (!(window instanceof SoftMemoryWindow of) || !(region instanceof SoftMemoryRegion to)) {
      return CompletionStatus.MEMORY_WINDOW_BIND_ERROR;
    }
    // Whoever checked the former key reads its range still.
    if (device.isAnnounced(of.slot())) {
      return null;
    }
    WindowRange range =
        new WindowRange(
            entry.bytes().getLong(WorkQueueEntryLayout.BIND_ADDRESS_OFFSET),
            entry.bytes().getLong(WorkQueueEntryLayout.BIND_LENGTH_OFFSET),
            entry.bytes().getInt(WorkQueueEntryLayout.BIND_ACCESS_OFFSET));
    if (!of.bind(entry.immediate(), to, range, queuePair)) {
      return CompletionStatus.MEMORY_WINDOW_BIND_ERROR;
    }
    device.faults().at(FaultStep.WINDOW_BOUND);
    return CompletionStatus.SUCCESS;
  }

  private CompletionStatus invalidate(int key) {
    if (!invalidated) {
      if (!device.keys().invalidate(key, queuePair.domain().number(), queuePair.number())) {
        return CompletionStatus.LOCAL_QP_OPERATION_ERROR;
      }
      invalidated = true;
      device.faults().at(FaultStep.WINDOW_SHUT);
    }
    return queuePair.announces(KeyTable.slot(key)) ? null : CompletionStatus.SUCCESS;
  }

  /** A peer that is stopped inside an access must not hold the queue up for good. */
  private CompletionStatus patience() {
    long now = System.nanoTime();
    if (!waiting) {
      waiting = true;
      waitingSince = now;
    }
    return now - waitingSince > device.faults().patience().toNanos()
        ? CompletionStatus.GENERAL_ERROR
        : null;
  }
}
