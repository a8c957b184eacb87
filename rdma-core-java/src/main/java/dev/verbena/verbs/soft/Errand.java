// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.MemoryRegion;
import java.util.EnumSet;

/**
 * What a requester over shm asks of the peer's device thread, because the memory concerned can't be
 * mapped here: a direct buffer that the peer's device did not allocate. Data goes through a bounce
 * buffer that is made when it is first needed. The other half is {@link ErrandDesk}. Used under the
 * run claim.
 */
final class Errand {
  private final SoftQueuePair queuePair;
  private final SoftProtectionDomain domain;
  private final ShmLink link;
  private final MappedMemory peerArea;
  private final Responder peer;
  private MemoryRegion bounce;
  private long asked;
  private long askedAt;
  private boolean waiting;
  private int length;

  Errand(SoftQueuePair queuePair, ShmLink link, MappedMemory peerArea, Responder peer) {
    this.queuePair = queuePair;
    this.domain = queuePair.domain();
    this.link = link;
    this.peerArea = peerArea;
    this.peer = peer;
  }

  /** Whether an errand was asked for whose answer was not taken yet. */
  boolean isWaiting() {
    return waiting;
  }

  /** Bytes of the errand that was asked for. */
  int length() {
    return length;
  }

  /** The bounce buffer: filled before {@link #ask} for a WRITE, holds the data of a READ after. */
  MappedMemory bounce() {
    if (bounce == null) {
      MappedMemory memory = domain.device().allocate(ErrandLayout.MAX_LENGTH);
      bounce =
          domain.register(memory, 0, ErrandLayout.MAX_LENGTH, EnumSet.of(AccessFlag.LOCAL_WRITE));
    }
    return bounce.memory();
  }

  /** Asks for a copy between the bounce buffer and the peer's memory. */
  void askCopy(int opcode, int key, long address, int bytes) {
    peerArea.putInt(ErrandLayout.BOUNCE_KEY_OFFSET, bounce.localKey());
    peerArea.putLong(ErrandLayout.BOUNCE_ADDRESS_OFFSET, bounce.address());
    ask(opcode, key, address, bytes);
  }

  /** Asks for an operation on a qword of the peer's memory. */
  void askQword(int opcode, int key, long address, long swapAdd, long compare) {
    peerArea.putLong(ErrandLayout.SWAP_ADD_OFFSET, swapAdd);
    peerArea.putLong(ErrandLayout.COMPARE_OFFSET, compare);
    ask(opcode, key, address, Long.BYTES);
  }

  private void ask(int opcode, int key, long address, int bytes) {
    peerArea.putInt(ErrandLayout.OPCODE_OFFSET, opcode);
    peerArea.putInt(ErrandLayout.LENGTH_OFFSET, bytes);
    peerArea.putInt(ErrandLayout.KEY_OFFSET, key);
    peerArea.putLong(ErrandLayout.ADDRESS_OFFSET, address);
    length = bytes;
    waiting = true;
    asked++;
    askedAt = System.nanoTime();
    peerArea.putLongRelease(ErrandLayout.ASKED_OFFSET, asked);
    link.askErrand();
    domain.device().faults().at(FaultStep.ERRAND_ASKED);
  }

  /** How the errand ended; null while the peer is at it. */
  CompletionStatus answer() {
    CompletionStatus status = null;
    if (peerArea.getLongAcquire(ErrandLayout.DONE_OFFSET) == asked) {
      status = WireCodes.status((int) peerArea.getLong(ErrandLayout.STATUS_OFFSET));
    } else if (!peer.isAlive() || queuePair.isTooLongSince(askedAt, link)) {
      status = CompletionStatus.TRANSPORT_RETRY_EXCEEDED;
    }
    waiting = status == null;
    return status;
  }

  /** What an atomic found, after its SUCCESS. */
  long found() {
    return peerArea.getLong(ErrandLayout.FOUND_OFFSET);
  }

  /** Frees the bounce buffer; the peer is out. */
  void close() {
    if (bounce != null) {
      bounce.close();
      bounce.memory().close();
    }
  }
}
