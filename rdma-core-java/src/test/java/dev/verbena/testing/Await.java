// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions in tests; every wait ends at a deadline, as a failure. */
public final class Await {
  /**
   * What a test gives a condition that holds at once on an idle machine: 30 seconds, or the system
   * property {@code verbena.test.patience}, for slow machines.
   */
  public static final Duration PATIENCE =
      Duration.ofSeconds(Integer.getInteger("verbena.test.patience", 30));

  private static final int SPINS = 200;
  private static final long PAUSE_NANOS = 100_000;

  private Await() {}

  /** Waits until the condition holds. */
  public static void until(String what, BooleanSupplier condition) {
    until(PATIENCE, what, condition);
  }

  /** Waits until the condition holds, no longer than {@code within}. */
  public static void until(Duration within, String what, BooleanSupplier condition) {
    until(within, () -> what, condition);
  }

  /** Waits until the condition holds; {@code what} is asked only when it never did. */
  public static void until(Supplier<String> what, BooleanSupplier condition) {
    until(PATIENCE, what, condition);
  }

  private static void until(Duration within, Supplier<String> what, BooleanSupplier condition) {
    long end = System.nanoTime() + within.toNanos();
    for (int round = 0; !condition.getAsBoolean(); round++) {
      if (System.nanoTime() - end >= 0) {
        throw new AssertionError("not within " + within + ": " + what.get());
      }
      if (Thread.interrupted()) {
        throw new AssertionError("interrupted while waiting: " + what.get());
      }
      // Two cores and several pollers: a waiting test lets the others run.
      if (round < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** The result of a task; what it threw is the cause of the failure. */
  public static <T> T result(String what, Future<T> task) {
    try {
      return task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("not within " + PATIENCE + ": " + what, e);
    } catch (ExecutionException e) {
      throw new AssertionError(what + " failed", e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting: " + what, e);
    }
  }

  /** What a task fails with. */
  public static Throwable failure(String what, Future<?> task) {
    try {
      Object value = task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      throw new AssertionError(what + " should have failed, gave " + value);
    } catch (TimeoutException e) {
      throw new AssertionError("not within " + PATIENCE + ": " + what, e);
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting: " + what, e);
    }
  }
}
