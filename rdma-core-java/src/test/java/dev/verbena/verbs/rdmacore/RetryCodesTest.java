// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.WorkCompletion;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Times and tries as a device takes them. */
final class RetryCodesTest {
  private static final CompletionQueue NONE =
      new CompletionQueue() {
        @Override
        public int poll(WorkCompletion[] into) {
          return 0;
        }

        @Override
        public void requestNotification(boolean solicitedOnly) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
          throw new UnsupportedOperationException();
        }
      };

  /** Of no device. */
  static final QueuePairAttributes USUAL = QueuePairAttributes.of(NONE, NONE);

  @Test
  void timersAreNotShorterThanAskedFor() {
    assertThat(RetryCodes.rnrTimer(rnr(1, Duration.ofNanos(1)))).isEqualTo(1);
    assertThat(RetryCodes.rnrTimer(rnr(1, Duration.ofMillis(10)))).isEqualTo(20);
    assertThat(RetryCodes.rnrTimer(rnr(1, Duration.ofMillis(50)))).isEqualTo(25);
    assertThat(RetryCodes.rnrTimer(rnr(1, Duration.ofMinutes(1)))).isZero();
  }

  @Test
  void upToSixTriesAreExactAndMoreAreForEver() {
    assertThat(RetryCodes.rnrRetries(rnr(0, Duration.ofMillis(1)))).isZero();
    assertThat(RetryCodes.rnrRetries(rnr(6, Duration.ofMillis(1)))).isEqualTo(6);
    assertThat(RetryCodes.rnrRetries(rnr(7, Duration.ofMillis(1)))).isEqualTo(7);
    assertThat(RetryCodes.rnrRetries(rnr(1000, Duration.ofMillis(1)))).isEqualTo(7);
  }

  @Test
  void allTriesTogetherLastNoLessThanAskedFor() {
    for (long millis : new long[] {1, 50, 1000, 30_000}) {
      int code = RetryCodes.timeout(USUAL.withAnswerTimeout(Duration.ofMillis(millis)));
      double seconds = 4.096e-6 * (1L << code) * (RetryCodes.retries() + 1);
      assertThat(seconds).isBetween(millis / 1000.0, 2 * millis / 1000.0 + 0.001);
    }
  }

  private static QueuePairAttributes rnr(int retries, Duration timer) {
    return USUAL.withRnrRetries(retries, timer);
  }
}
