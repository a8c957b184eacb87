// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.time.Duration;

/**
 * One line of a fault plan.
 *
 * @param action what happens
 * @param step where
 * @param first the first passing of the step that is meant, counted from 1
 * @param last the last one that is meant
 * @param oneIn of those meant, one in so many by seed; 1 for each
 * @param delay of {@link Action#DELAY}, else zero
 */
record FaultRule(Action action, FaultStep step, long first, long last, long oneIn, Duration delay) {
  /** What a rule does. */
  enum Action {
    /** Ends the process as SIGKILL does. */
    KILL,
    /** Stops the process as SIGSTOP does; SIGCONT lets it go on. */
    FREEZE,
    /** Stops the thread, for good unless this process releases it. */
    STOP,
    /** Lets the step fail, which ends the request or the link with an error. */
    FAIL,
    /** Holds the thread up. */
    DELAY,
    /** Loses a frame that was built. */
    DROP,
    /** Sends a frame that was built twice. */
    DUPLICATE;

    boolean concernsFrames() {
      return this == DROP || this == DUPLICATE;
    }
  }
}
