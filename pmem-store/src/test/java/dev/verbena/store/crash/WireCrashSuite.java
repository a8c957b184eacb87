// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

/**
 * Appends to a store from elsewhere, with crashes of it; loaded once for each copy of the store.
 */
public interface WireCrashSuite {
  /**
   * Appends by each way there is; the first thing that is wrong is thrown.
   *
   * @param seed decides what a crash takes
   * @return crashes that were recovered from and checked
   */
  long run(long seed);
}
