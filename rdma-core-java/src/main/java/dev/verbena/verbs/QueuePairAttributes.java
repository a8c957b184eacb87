// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.time.Duration;
import java.util.Objects;

/**
 * What a reliable-connected queue pair is made with: ibv_create_qp(3) and the retry attributes of
 * ibv_modify_qp(3).
 *
 * @param sendCompletions where completions of the send queue go
 * @param receiveCompletions where completions of the receive queue go; may be the same
 * @param maxSendRequests requests that can be outstanding on the send queue
 * @param maxReceiveRequests RECVs that can be outstanding
 * @param maxBuffers buffers a request
 * @param maxInline bytes of inline data a request
 * @param trafficClass service level
 * @param rnrTimeout how long the peer may be without a RECV before RNR_RETRY_EXCEEDED; finite
 */
public record QueuePairAttributes(
    CompletionQueue sendCompletions,
    CompletionQueue receiveCompletions,
    int maxSendRequests,
    int maxReceiveRequests,
    int maxBuffers,
    int maxInline,
    TrafficClass trafficClass,
    Duration rnrTimeout) {

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
    if (rnrTimeout.isNegative() || rnrTimeout.isZero()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "rnrTimeout " + rnrTimeout + ", expected > 0");
    }
  }

  /** Usual limits: 128 requests each way, 4 buffers, 64 bytes inline, 5 s without a RECV. */
  public static QueuePairAttributes of(CompletionQueue send, CompletionQueue receive) {
    return new QueuePairAttributes(
        send, receive, 128, 128, 4, 64, TrafficClass.CONTROL, Duration.ofSeconds(5));
  }

  /** The same with other queue depths. */
  public QueuePairAttributes withDepths(int send, int receive) {
    return new QueuePairAttributes(
        sendCompletions,
        receiveCompletions,
        send,
        receive,
        maxBuffers,
        maxInline,
        trafficClass,
        rnrTimeout);
  }

  /** The same with another number of buffers a request. */
  public QueuePairAttributes withMaxBuffers(int buffers) {
    return new QueuePairAttributes(
        sendCompletions,
        receiveCompletions,
        maxSendRequests,
        maxReceiveRequests,
        buffers,
        maxInline,
        trafficClass,
        rnrTimeout);
  }

  /** The same with another inline limit. */
  public QueuePairAttributes withMaxInline(int bytes) {
    return new QueuePairAttributes(
        sendCompletions,
        receiveCompletions,
        maxSendRequests,
        maxReceiveRequests,
        maxBuffers,
        bytes,
        trafficClass,
        rnrTimeout);
  }

  /** The same with another service level. */
  public QueuePairAttributes withTrafficClass(TrafficClass level) {
    return new QueuePairAttributes(
        sendCompletions,
        receiveCompletions,
        maxSendRequests,
        maxReceiveRequests,
        maxBuffers,
        maxInline,
        level,
        rnrTimeout);
  }

  /** The same with another patience for a peer without RECVs. */
  public QueuePairAttributes withRnrTimeout(Duration timeout) {
    return new QueuePairAttributes(
        sendCompletions,
        receiveCompletions,
        maxSendRequests,
        maxReceiveRequests,
        maxBuffers,
        maxInline,
        trafficClass,
        timeout);
  }
}
