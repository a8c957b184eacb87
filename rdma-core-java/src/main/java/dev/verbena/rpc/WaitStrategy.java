// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/**
 * How a thread waits for a completion: it polls {@code spins} times, then polls and yields the
 * processor {@code yields} times, then arms the completion queue and sleeps on its channel. With
 * fewer processors than pollers, which is the normal case, spinning takes time from the very thread
 * that is waited for: both numbers are small.
 *
 * @param spins polls in a row
 * @param yields polls with a yield between them
 */
public record WaitStrategy(int spins, int yields) {
  /** Checks that neither is negative. */
  public WaitStrategy {
    if (spins < 0 || yields < 0) {
      throw new IllegalArgumentException(
          "spins " + spins + " and yields " + yields + " must be >= 0");
    }
  }

  /** Spins and yields for some microseconds, more where processors abound. */
  public static WaitStrategy adaptive() {
    return new WaitStrategy(Runtime.getRuntime().availableProcessors() > 2 ? 400 : 40, 10);
  }

  /** Sleeps at once: least processor time, most latency. */
  public static WaitStrategy blocking() {
    return new WaitStrategy(0, 0);
  }
}
