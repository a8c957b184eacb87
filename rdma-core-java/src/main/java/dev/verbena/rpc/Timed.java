// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** Something with deadlines that the reactor's thread looks after. */
@FunctionalInterface
interface Timed {
  /** What {@link #expire} returns if no deadline is set. */
  long NEVER = Long.MAX_VALUE;

  /**
   * Ends what has passed its deadline.
   *
   * @param now the {@link System#nanoTime}
   * @return nanoseconds from {@code now} to the next deadline, or {@link #NEVER}
   */
  long expire(long now);
}
