// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition, always with a deadline. */
public final class Await {
  private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();

  private Await() {}

  /**
   * Returns once the condition holds.
   *
   * @param what names the condition in the error
   * @throws IntegrationException if it does not hold within the time given, or on interruption
   */
  public static void until(Duration within, String what, BooleanSupplier condition) {
    if (!within(within, what, condition)) {
      throw new IntegrationException(what + ": not within " + within.toSeconds() + " s");
    }
  }

  /**
   * Whether the condition comes to hold within the time given.
   *
   * @param what names the condition in the error
   * @throws IntegrationException on interruption
   */
  public static boolean within(Duration within, String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + within.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new IntegrationException(what + ": interrupted");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
