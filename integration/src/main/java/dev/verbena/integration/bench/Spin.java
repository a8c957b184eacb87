// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import java.time.Duration;

/** Bounds a wait that spins. For one thread. */
final class Spin {
  private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();
  private static final int ROUNDS_A_LOOK = 1 << 14;

  private final String what;
  private long end;
  private int rounds;

  Spin(String what) {
    this.what = what;
  }

  /** Once before each wait. */
  void begin() {
    rounds = 0;
  }

  /** Once in each round of it. */
  void idle() {
    Thread.onSpinWait();
    if (++rounds % ROUNDS_A_LOOK == 0) {
      look();
      // Far longer than any answer takes: the other end does not have a core.
      Thread.yield();
    }
  }

  private void look() {
    long now = System.nanoTime();
    if (rounds == ROUNDS_A_LOOK) {
      end = now + LIMIT_NANOS;
    } else if (now - end >= 0) {
      throw new IntegrationException(what + ": no answer within 60 s");
    }
  }
}
