// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What a reliable-connected queue pair is made with: ibv_create_qp(3) and the retry attributes of
 * ibv_modify_qp(3).
 *
 * @param sendCompletions where completions of the send queue go
 * @param receiveCompletions where completions of the receive queue go; may be the same
 * @param sharedReceiveQueue where RECVs come from, of the same protection domain; null if the queue
 *     pair has its own
 * @param maxSendRequests requests that can be outstanding on the send queue
 * @param maxReceiveRequests RECVs that can be outstanding; of a shared receive queue, how many this
 *     queue pair can hold at most
 * @param maxBuffers buffers a request
 * @param maxInline bytes of inline data a request
 * @param trafficClass service level
 * @param rnrRetries how often a request that finds no RECV at the peer is tried again before
 *     RNR_RETRY_EXCEEDED; 0 for never
 * @param rnrTimer the time that counts as one such try
 * @param answerTimeout how long a peer may be silent while a request waits for it, before
 *     TRANSPORT_RETRY_EXCEEDED; what the peer's CPU takes to persist for a FLUSH counts
 */
public record QueuePairAttributes(
    CompletionQueue sendCompletions,
    CompletionQueue receiveCompletions,
    SharedReceiveQueue sharedReceiveQueue,
    int maxSendRequests,
    int maxReceiveRequests,
    int maxBuffers,
    int maxInline,
    TrafficClass trafficClass,
    int rnrRetries,
    Duration rnrTimer,
    Duration answerTimeout) {

  /** Checks that nothing is missing or negative. */
  public QueuePairAttributes {
    Objects.requireNonNull(sendCompletions, "sendCompletions");
    Objects.requireNonNull(receiveCompletions, "receiveCompletions");
    Objects.requireNonNull(trafficClass, "trafficClass");
    if (maxSendRequests < 1 || maxReceiveRequests < 1 || maxBuffers < 1 || maxInline < 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "queue pair limits must be positive: send "
              + maxSendRequests
              + ", receive "
              + maxReceiveRequests
              + ", buffers "
              + maxBuffers
              + ", inline "
              + maxInline);
    }
    if (rnrRetries < 0 || rnrTimer.isNegative() || rnrTimer.isZero()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          rnrRetries + " RNR retries of " + rnrTimer + ", expected >= 0 of > 0");
    }
    if (answerTimeout.isNegative() || answerTimeout.isZero()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "answer timeout of " + answerTimeout);
    }
  }

  /**
   * Usual limits: RECVs of its own, 128 requests each way, 4 buffers, 64 bytes inline, 500 tries of
   * 10 ms for a peer without a RECV, 30 s for a silent one.
   */
  public static QueuePairAttributes of(CompletionQueue send, CompletionQueue receive) {
    return new QueuePairAttributes(
        send,
        receive,
        null,
        128,
        128,
        4,
        64,
        TrafficClass.CONTROL,
        500,
        Duration.ofMillis(10),
        Duration.ofSeconds(30));
  }

  /** How long a peer may be without a RECV. */
  public Duration rnrTimeout() {
    return rnrTimer.multipliedBy(rnrRetries);
  }

  /** The same with other queue depths. */
  public QueuePairAttributes withDepths(int send, int receive) {
    return with(
        changed -> {
          changed.maxSendRequests = send;
          changed.maxReceiveRequests = receive;
        });
  }

  /** The same with RECVs from a shared receive queue. */
  public QueuePairAttributes withSharedReceiveQueue(SharedReceiveQueue queue) {
    return with(changed -> changed.sharedReceiveQueue = queue);
  }

  /** The same with another number of buffers a request. */
  public QueuePairAttributes withMaxBuffers(int buffers) {
    return with(changed -> changed.maxBuffers = buffers);
  }

  /** The same with another inline limit. */
  public QueuePairAttributes withMaxInline(int bytes) {
    return with(changed -> changed.maxInline = bytes);
  }

  /** The same with another service level. */
  public QueuePairAttributes withTrafficClass(TrafficClass level) {
    return with(changed -> changed.trafficClass = level);
  }

  /** The same with other tries for a peer without RECVs. */
  public QueuePairAttributes withRnrRetries(int retries, Duration timer) {
    return with(
        changed -> {
          changed.rnrRetries = retries;
          changed.rnrTimer = timer;
        });
  }

  /** The same with another patience for a silent peer. */
  public QueuePairAttributes withAnswerTimeout(Duration timeout) {
    return with(changed -> changed.answerTimeout = timeout);
  }

  private QueuePairAttributes with(Consumer<Changed> change) {
    Changed changed = new Changed(this);
    change.accept(changed);
    return changed.attributes();
  }

  /** A copy in which something is about to differ. */
  private static final class Changed {
    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private SharedReceiveQueue sharedReceiveQueue;
    private int maxSendRequests;
    private int maxReceiveRequests;
    private int maxBuffers;
    private int maxInline;
    private TrafficClass trafficClass;
    private int rnrRetries;
    private Duration rnrTimer;
    private Duration answerTimeout;

    Changed(QueuePairAttributes of) {
      sendCompletions = of.sendCompletions;
      receiveCompletions = of.receiveCompletions;
      sharedReceiveQueue = of.sharedReceiveQueue;
      maxSendRequests = of.maxSendRequests;
      maxReceiveRequests = of.maxReceiveRequests;
      maxBuffers = of.maxBuffers;
      maxInline = of.maxInline;
      trafficClass = of.trafficClass;
      rnrRetries = of.rnrRetries;
      rnrTimer = of.rnrTimer;
      answerTimeout = of.answerTimeout;
    }

    QueuePairAttributes attributes() {
      return new QueuePairAttributes(
          sendCompletions,
          receiveCompletions,
          sharedReceiveQueue,
          maxSendRequests,
          maxReceiveRequests,
          maxBuffers,
          maxInline,
          trafficClass,
          rnrRetries,
          rnrTimer,
          answerTimeout);
    }
  }
}
