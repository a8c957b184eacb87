// SPDX-License-Identifier: Apache-2.0
package dev.verbena.time;

import java.time.Duration;

/**
 * A point on the monotonic clock by which a wait must have ended. Immutable.
 *
 * @param nanoTime the value of {@link System#nanoTime()} at which the deadline is reached
 */
public record Deadline(long nanoTime) {

  /** The deadline that lies {@code duration} after now. */
  public static Deadline after(Duration duration) {
    return new Deadline(System.nanoTime() + duration.toNanos());
  }

  /** Nanoseconds left; zero or negative once it has passed. */
  public long remainingNanos() {
    return nanoTime - System.nanoTime();
  }

  /** Milliseconds left, rounded up, at least 0: what a selector or socket timeout takes. */
  public long remainingMillis() {
    long nanos = remainingNanos();
    return nanos <= 0 ? 0 : (nanos + 999_999) / 1_000_000;
  }

  /** Whether the deadline has passed. */
  public boolean hasPassed() {
    return remainingNanos() <= 0;
  }

  /** The earlier of the two. */
  public Deadline earlierOf(Deadline other) {
    return nanoTime - other.nanoTime <= 0 ? this : other;
  }
}
