// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import dev.verbena.testing.mutation.Watch;
import java.util.function.Supplier;

/** How often each scenario is run, and with which seeds. */
public final class OrderRuns {
  private static final long FIRST_SEED = 1;
  private static final int SHORT = 400;

  /** Mutants that are said to make no difference are given a part of the runs. */
  private static final int OF_LISTED = 4;

  private static volatile int runs = SHORT;

  private OrderRuns() {}

  static long seed() {
    return Long.getLong("verbena.order.seed", FIRST_SEED);
  }

  /** Runs a trial that has so many runs of each scenario. */
  static void with(int count, Runnable trial) {
    runs = count;
    try {
      trial.run();
    } finally {
      runs = SHORT;
    }
  }

  static int runs() {
    return runs;
  }

  /** Runs a scenario as often as this trial does. */
  public static void explore(Supplier<Interleaving.Scenario> scenarios) {
    int count = Watch.isListed() ? runs / OF_LISTED : runs;
    Interleaving.explore(seed(), count, scenarios);
  }
}
