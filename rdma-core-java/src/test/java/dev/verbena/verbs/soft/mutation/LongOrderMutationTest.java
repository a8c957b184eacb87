// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link OrderMutationTest} with more seeds; {@code -Dverbena.order.seed=N} begins with N. */
@Tag("crash")
class LongOrderMutationTest {
  private static final int RUNS = 1500;

  @Test
  @Timeout(value = 14, unit = TimeUnit.MINUTES)
  void withoutAnyOfTheFencesAnInterleavingDoesHarm() {
    OrderRuns.with(RUNS, () -> Order.trial().mutate(Order.UNOBSERVABLE));
  }
}
