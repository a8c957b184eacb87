// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionStatus;

/**
 * A FLUSH over shm as its requester sees it. What only the owner can do it is asked for through the
 * queue pair's area; the other half is {@link FlushDesk}. Used under the run claim.
 */
final class ShmFlush {
  private final SoftQueuePair queuePair;
  private final ShmLink link;
  private final MappedMemory peerArea;
  private final Responder peer;
  private final RemoteFlush remote;
  private final FaultPort faults;
  private long asked;
  private long askedAt;
  private boolean waiting;

  ShmFlush(SoftQueuePair queuePair, ShmLink link, MappedMemory peerArea, Responder peer) {
    this.queuePair = queuePair;
    this.link = link;
    this.peerArea = peerArea;
    this.peer = peer;
    this.faults = queuePair.domain().device().faults();
    this.remote = new RemoteFlush(peer);
  }

  /** Begins or goes on with an entry; null while the owner is at it. */
  CompletionStatus run(WorkEntry entry) {
    if (!waiting) {
      CompletionStatus status =
          remote.check(
              entry.remoteKey(),
              entry.remoteAddress(),
              entry.bytes(),
              WorkQueueEntryLayout.OPERANDS);
      if (status != CompletionStatus.SUCCESS || !remote.needsOwner()) {
        return status;
      }
      asked++;
      QueuePairAreaLayout.askFlush(peerArea, asked, remote.order());
      waiting = true;
      askedAt = System.nanoTime();
      link.askFlush();
      faults.at(FaultStep.FLUSH_ASKED);
    }
    if (peerArea.getLongAcquire(QueuePairAreaLayout.FLUSHES_DONE_OFFSET) == asked) {
      waiting = false;
      return WireCodes.status((int) peerArea.getLong(QueuePairAreaLayout.FLUSH_STATUS_OFFSET));
    }
    if (peer.isAlive() && !queuePair.isTooLongSince(askedAt, link)) {
      return null;
    }
    waiting = false;
    return CompletionStatus.TRANSPORT_RETRY_EXCEEDED;
  }
}
