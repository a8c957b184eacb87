// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.QueuePairAttributes;
import java.time.Duration;

/**
 * How times and tries are told to a device: InfiniBand Architecture specification, volume 1, 9.7.5.
 */
final class RetryCodes {
  /** RNR timers by code, in units of 10 microseconds. */
  private static final int[] RNR_TIMERS = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  private static final long RNR_UNIT_NANOS = 10_000;
  private static final int MAX_RNR_RETRIES = 6;

  /** Three bits count the tries, and all of them set means for ever. */
  private static final int UNLIMITED = 7;

  private static final int RETRIES = 7;
  private static final long TIMEOUT_UNIT_NANOS = 4096;
  private static final int MAX_TIMEOUT = 31;

  private RetryCodes() {}

  /**
   * Tries for a peer without a RECV: up to six are exact, more are for ever, which their timers
   * would come closest to.
   */
  static int rnrRetries(QueuePairAttributes attributes) {
    return attributes.rnrRetries() > MAX_RNR_RETRIES ? UNLIMITED : attributes.rnrRetries();
  }

  /** The shortest timer that is not below the one asked for, or else the longest. */
  static int rnrTimer(QueuePairAttributes attributes) {
    Duration timer = attributes.rnrTimer();
    for (int code = 1; code < RNR_TIMERS.length; code++) {
      if (Duration.ofNanos(RNR_TIMERS[code] * RNR_UNIT_NANOS).compareTo(timer) >= 0) {
        return code;
      }
    }
    return 0;
  }

  /** How often a request is sent again that nobody acknowledged. */
  static int retries() {
    return RETRIES;
  }

  /** The shortest time between two tries that makes all together not less than asked for. */
  static int timeout(QueuePairAttributes attributes) {
    Duration each = attributes.answerTimeout().dividedBy(RETRIES + 1);
    int code = 1;
    while (code < MAX_TIMEOUT && Duration.ofNanos(TIMEOUT_UNIT_NANOS << code).compareTo(each) < 0) {
      code++;
    }
    return code;
  }
}
