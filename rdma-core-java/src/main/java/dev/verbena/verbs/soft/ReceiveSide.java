// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.VerbsException;
import java.time.Duration;

/**
 * The receive side of one queue pair at its owner: the RECV ring, who fills it, and where its
 * completions go.
 */
final class ReceiveSide {
  private static final Duration FIRST_LOOK = Duration.ofMillis(1);
  private static final Duration LONGEST_LOOK = Duration.ofMillis(100);

  private final SoftQueuePair queuePair;
  private final SoftDevice device;
  private final MappedMemory area;
  private final ReceiveQueue queue;
  private final SoftCompletionQueue completions;
  private final ReceiveCompletions source;
  private final SoftSharedReceiveQueue shared;
  private final DealtLane lane;
  private volatile boolean ended;

  ReceiveSide(
      SoftQueuePair queuePair,
      SoftDevice device,
      QueuePairAttributes attributes,
      QueuePairAreaLayout layout,
      MappedMemory area) {
    this.queuePair = queuePair;
    this.device = device;
    this.area = area;
    this.queue = new ReceiveQueue(area, layout, attributes);
    this.completions = (SoftCompletionQueue) attributes.receiveCompletions();
    this.shared = (SoftSharedReceiveQueue) attributes.sharedReceiveQueue();
    this.lane = shared == null ? null : new DealtLane(queue, area, layout);
    this.source =
        new ReceiveCompletions(
            queuePair,
            queue,
            new CompletionLane(area, layout.receiveLane(), layout.receiveDepth()),
            this);
    if (shared != null) {
      shared.addUser();
    }
    completions.attach(source);
  }

  boolean isShared() {
    return shared != null;
  }

  /** RECVs that can be outstanding here, and so completions. */
  int capacity() {
    return shared == null ? queuePair.attributes().maxReceiveRequests() : lane.depth();
  }

  /** The peer's engine tells once it made as many completions as this. */
  void setCompletionMark(long mark) {
    area.putLongRelease(QueuePairAreaLayout.COMPLETION_MARK_OFFSET, mark);
  }

  /** Under the post claim. */
  void post(ReceiveRequest request) {
    if (shared != null) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "queue pair " + queuePair.number() + " draws from a shared receive queue");
    }
    queue.post(request);
  }

  /** Something was completed or flushed. */
  void completionAdded() {
    completions.completionAdded(true);
  }

  /** Device thread: a tcp request of the peer disarmed the completion queue. */
  void fired() {
    completions.fireIfDisarmed();
  }

  /** Poller: completions were polled. */
  void settle() {
    shared.settle(lane);
  }

  /** The queue pair is joined, but lets nobody in yet. */
  void joined() {
    if (shared != null) {
      shared.join(lane);
    }
  }

  /** The queue pair broke: RECVs dealt to it return as soon as the peer is out. */
  void broken() {
    completions.completionAdded(true);
    if (shared != null) {
      device.thread().execute(() -> takeBack(FIRST_LOOK));
    }
  }

  /** Device thread. */
  private void takeBack(Duration nextLook) {
    if (ended) {
      return;
    }
    if (queuePair.peerIsOut()) {
      takeBackNow();
      queuePair.raise(AsyncEvent.Type.LAST_REQUEST_REACHED);
      return;
    }
    Duration doubled = nextLook.multipliedBy(2);
    Duration after = doubled.compareTo(LONGEST_LOOK) > 0 ? LONGEST_LOOK : doubled;
    device.thread().schedule(Deadline.after(nextLook), () -> takeBack(after));
  }

  private void takeBackNow() {
    completions.runBetweenPolls(
        () -> {
          ended = true;
          shared.takeBack(lane, source.pending());
        });
  }

  /** The queue pair closed before its peer was out, and now it is: the RECVs it had return. */
  void peerLeft() {
    if (shared != null) {
      shared.takeBackAbandoned(lane);
    }
  }

  /**
   * The queue pair closes.
   *
   * @param quiet whether the peer is out; else it may still write where a dealt RECV points
   */
  void close(boolean quiet) {
    if (shared != null) {
      if (quiet) {
        takeBackNow();
      } else {
        ended = true;
        shared.abandon(lane);
      }
    }
    completions.detach(source);
    if (shared != null) {
      shared.removeUser();
    }
  }
}
