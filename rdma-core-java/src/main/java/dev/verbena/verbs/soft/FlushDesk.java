// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionStatus;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Takes in the FLUSHes that a shm peer left in a queue pair's area and answers them there; the
 * other half is {@link ShmFlush}. {@link #serve} is for the device thread.
 */
final class FlushDesk {
  private final MappedMemory area;
  private final int domain;
  private final BiConsumer<FlushOrder, Consumer<CompletionStatus>> persister;
  private final FaultPort faults;
  private long taken;
  private final AtomicInteger unanswered = new AtomicInteger();

  /** Orders go to {@code persister}, which tells on any thread how each ended. */
  FlushDesk(
      MappedMemory area,
      int domain,
      BiConsumer<FlushOrder, Consumer<CompletionStatus>> persister,
      FaultPort faults) {
    this.area = area;
    this.domain = domain;
    this.persister = persister;
    this.faults = faults;
  }

  void serve() {
    long asked = area.getLongAcquire(QueuePairAreaLayout.FLUSHES_ASKED_OFFSET);
    if (asked != taken) {
      taken = asked;
      faults.at(FaultStep.FLUSH_TAKEN);
      unanswered.incrementAndGet();
      persister.accept(
          QueuePairAreaLayout.flushOrder(area, domain), status -> answer(asked, status));
    }
  }

  private void answer(long asked, CompletionStatus status) {
    try {
      faults.at(FaultStep.FLUSH_PERSISTED);
      area.putLong(QueuePairAreaLayout.FLUSH_STATUS_OFFSET, WireCodes.of(status));
      area.putLongRelease(QueuePairAreaLayout.FLUSHES_DONE_OFFSET, asked);
      faults.at(FaultStep.ANSWER_WRITTEN);
    } finally {
      unanswered.decrementAndGet();
    }
  }

  /** Whether nobody is about to answer into the area. */
  boolean isIdle() {
    return unanswered.get() == 0;
  }
}
