// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An in-process claim that at most one thread holds, for sections that are short or that others can
 * skip. Release is a volatile store, so what a failed {@link #tryClaim} left undone is seen by a
 * holder that looks again after releasing.
 */
final class SpinClaim {
  private static final int SPINS = 64;

  private final AtomicBoolean held = new AtomicBoolean();

  boolean tryClaim() {
    return held.compareAndSet(false, true);
  }

  /** Waits for the claim; the holder is running, so this is short. */
  void claim() {
    int spins = 0;
    while (!held.compareAndSet(false, true)) {
      if (++spins < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  void release() {
    held.set(false);
  }
}
