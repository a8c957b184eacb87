// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A shared receive queue: RECVs that wait here are dealt out in batches to the RECV rings of its
 * queue pairs, so that no structure has several producers in several processes. A lane is topped up
 * when its completions are polled; one that ran dry asks, and gets what waits here or what an idle
 * lane did not use.
 */
final class SoftSharedReceiveQueue implements SharedReceiveQueue {
  private static final int MAX_BATCH = 32;

  private final SoftProtectionDomain domain;
  private final SharedReceiveQueueAttributes attributes;
  private final StoredReceives stored;
  private final SpinClaim claim = new SpinClaim();
  private final List<DealtLane> lanes = new ArrayList<>();
  private final ArrayDeque<DealtLane> hungry = new ArrayDeque<>();
  private int nextDonor;
  private int users;
  private int limit;
  private boolean closed;

  SoftSharedReceiveQueue(SoftProtectionDomain domain, SharedReceiveQueueAttributes attributes) {
    this.domain = domain;
    this.attributes = attributes;
    this.stored = new StoredReceives(attributes);
  }

  @Override
  public SharedReceiveQueueAttributes attributes() {
    return attributes;
  }

  SoftProtectionDomain domain() {
    return domain;
  }

  @Override
  public void postReceive(ReceiveRequest request) {
    if (request.bufferCount() > attributes.maxBuffers()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          request.bufferCount() + " buffers, the queue takes " + attributes.maxBuffers());
    }
    boolean added;
    claim.claim();
    try {
      requireOpen();
      added = stored.add(request);
      feedHungry();
    } finally {
      claim.release();
    }
    if (!added) {
      throw new VerbsException(
          VerbsException.Code.RECEIVE_QUEUE_FULL,
          "the shared receive queue has its " + attributes.maxRequests() + " RECVs already");
    }
  }

  @Override
  public void armLimit(int newLimit) {
    if (newLimit < 0 || newLimit > attributes.maxRequests()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "limit " + newLimit + " of a queue of " + attributes.maxRequests() + " RECVs");
    }
    boolean reached;
    claim.claim();
    try {
      requireOpen();
      limit = newLimit;
      reached = checkLimit();
    } finally {
      claim.release();
    }
    tellLimit(reached);
  }

  @Override
  public int limit() {
    claim.claim();
    try {
      return limit;
    } finally {
      claim.release();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, "the shared receive queue is closed");
    }
  }

  private void tellLimit(boolean reached) {
    if (reached) {
      domain
          .device()
          .events()
          .raise(
              new AsyncEvent.OfSharedReceiveQueue(
                  AsyncEvent.Type.SHARED_RECEIVE_LIMIT_REACHED, this));
    }
  }

  /** A queue pair that draws from here was made. */
  void addUser() {
    claim.claim();
    try {
      requireOpen();
      users++;
    } finally {
      claim.release();
    }
  }

  /** A queue pair closed; its lane has been removed. */
  void removeUser() {
    claim.claim();
    try {
      users--;
    } finally {
      claim.release();
    }
  }

  /** A queue pair was joined to its peer: it gets its first RECVs. */
  void join(DealtLane lane) {
    boolean reached;
    claim.claim();
    try {
      lanes.add(lane);
      lane.setJoined(true);
      feed(lane);
      reached = checkLimit();
    } finally {
      claim.release();
    }
    tellLimit(reached);
  }

  /** Poller: completions of a lane were polled, so their places are free. */
  void settle(DealtLane lane) {
    claim.claim();
    try {
      lane.settle(stored);
      if (lane.isJoined() && lane.available() <= share(lane) / 2) {
        feed(lane);
      }
    } finally {
      claim.release();
    }
  }

  /** A queue pair broke and its peer is out: what it did not use returns. */
  void takeBack(DealtLane lane, int unpolled) {
    claim.claim();
    try {
      if (remove(lane)) {
        lane.takeBack(stored, unpolled);
        feedHungry();
      }
    } finally {
      claim.release();
    }
  }

  /** A queue pair closes though its peer stopped inside it: its RECVs stay with that peer. */
  void abandon(DealtLane lane) {
    claim.claim();
    try {
      remove(lane);
    } finally {
      claim.release();
    }
  }

  /** The peer inside a lane that was abandoned is out. */
  void takeBackAbandoned(DealtLane lane) {
    claim.claim();
    try {
      if (!closed) {
        lane.takeBack(stored, 0);
        feedHungry();
      }
    } finally {
      claim.release();
    }
  }

  private boolean remove(DealtLane lane) {
    hungry.remove(lane);
    lane.setJoined(false);
    return lanes.remove(lane);
  }

  /** Device thread: a peer asks for RECVs, or took as many as its mark. */
  void serve() {
    boolean reached;
    claim.claim();
    try {
      for (DealtLane lane : lanes) {
        if (lane.asks()) {
          feed(lane);
          if (lane.available() == 0 && lane.room() > 0) {
            recallFor(lane);
          }
        }
      }
      reached = checkLimit();
    } finally {
      claim.release();
    }
    tellLimit(reached);
  }

  /** Half of the RECVs stay here, for lanes that run dry. */
  private int share(DealtLane lane) {
    int even = attributes.maxRequests() / (2 * lanes.size());
    return Math.max(1, Math.min(Math.min(even, MAX_BATCH), lane.depth()));
  }

  private void feed(DealtLane lane) {
    int wanted = Math.min(share(lane) - lane.available(), lane.room());
    int count = Math.min(wanted, stored.waiting());
    if (count > 0) {
      lane.deal(stored, count);
      domain.device().faults().at(FaultStep.RECEIVE_DEALT);
    }
    noteHungry(lane);
  }

  private void noteHungry(DealtLane lane) {
    if (lane.available() == 0 && !lane.isInLine()) {
      lane.setInLine(true);
      hungry.add(lane);
    }
  }

  private void feedHungry() {
    while (stored.waiting() > 0 && !hungry.isEmpty()) {
      DealtLane lane = hungry.remove();
      lane.setInLine(false);
      // One without room is fed when its completions are polled.
      if (lane.available() == 0 && lane.room() > 0) {
        feed(lane);
      }
    }
  }

  /** Takes RECVs from a lane that has some and did not ask, for one that has none and asks. */
  private void recallFor(DealtLane lane) {
    for (int tries = lanes.size(); tries > 0 && stored.waiting() == 0; tries--) {
      nextDonor = (nextDonor + 1) % lanes.size();
      DealtLane donor = lanes.get(nextDonor);
      int spare = donor.available();
      if (donor != lane && spare > 0) {
        donor.recall(stored, (spare + 1) / 2);
        domain.device().faults().at(FaultStep.RECEIVE_RECALLED);
        noteHungry(donor);
      }
    }
    feed(lane);
  }

  /**
   * Whether fewer RECVs are left than the armed limit, which is then disarmed. Else each lane gets
   * a mark such that the limit can't be crossed before one of them is reached.
   */
  private boolean checkLimit() {
    if (limit == 0) {
      return false;
    }
    boolean passed;
    do {
      long left = stored.waiting();
      for (DealtLane lane : lanes) {
        left += lane.count();
      }
      if (left < limit) {
        limit = 0;
        lanes.forEach(DealtLane::clearMark);
        return true;
      }
      long ahead = (left - limit) / Math.max(1, lanes.size()) + 1;
      passed = false;
      for (DealtLane lane : lanes) {
        passed |= lane.setMark(ahead);
      }
    } while (passed);
    return false;
  }

  @Override
  public void close() {
    claim.claim();
    try {
      if (users > 0) {
        throw new VerbsException(
            VerbsException.Code.INVALID_STATE,
            "the shared receive queue is used by " + users + " queue pairs");
      }
      if (closed) {
        return;
      }
      closed = true;
      limit = 0;
    } finally {
      claim.release();
    }
    domain.release(this);
    domain.device().events().forget(this);
  }
}
