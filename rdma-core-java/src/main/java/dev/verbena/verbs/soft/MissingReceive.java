// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * A requester over shm that finds no RECV: asks the peer's shared receive queue for one, and knows
 * when it has waited long enough. Used under the run claim.
 */
final class MissingReceive {
  /** What was dealt to a waiting lane may have been recalled for another before it was taken. */
  private static final long ASK_AGAIN_NANOS = 5_000_000;

  private final SoftQueuePair queuePair;
  private final ShmLink link;
  private final Responder peer;
  private long since;
  private long askedAt;

  MissingReceive(SoftQueuePair queuePair, ShmLink link, Responder peer) {
    this.queuePair = queuePair;
    this.link = link;
    this.peer = peer;
  }

  /** There is one, or a new request begins. */
  void found() {
    since = 0;
  }

  /** None yet; false once the queue pair's tries are used up. */
  boolean mayWait(long now) {
    boolean first = since == 0;
    if (first) {
      since = now;
    }
    if (now - since >= queuePair.rnrTimeoutNanos()) {
      return false;
    }
    if (first || now - askedAt > ASK_AGAIN_NANOS) {
      askedAt = now;
      if (peer.askForReceive()) {
        link.tellToLookAtLanes();
      }
    }
    return true;
  }
}
