// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

/**
 * Where an append's time goes, in microseconds, as a mean over a round. Over shm the thread that
 * posts carries the bytes too, so that posting and the wire are one.
 *
 * @param carried preparing, posting and carrying it and its answer
 * @param wake until a processor of the other end has begun with it, and back
 * @param copy what the other end does but persist
 * @param persist in msync
 */
record AppendSplit(double carried, double wake, double copy, double persist) {
  /** All but persisting. */
  double rest() {
    return carried + wake + copy;
  }

  /** The same with another split of the rest, in which nobody copies. */
  AppendSplit withCarried(double micros) {
    return new AppendSplit(micros, rest() - micros, 0, persist);
  }
}
