// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import java.util.random.RandomGenerator;

/** What becomes of that which is not safe when the crash comes. */
public enum Outcome {
  /** All of it is lost. */
  LOST,
  /** None of it is. */
  KEPT,
  /** Line by line it is lost, kept or torn. */
  MIXED,
  /** The process alone dies: the next one finds all of it, and it is still not safe. */
  PROCESS_ONLY;

  boolean choose(RandomGenerator random) {
    return this == KEPT || (this == MIXED && random.nextBoolean());
  }
}
