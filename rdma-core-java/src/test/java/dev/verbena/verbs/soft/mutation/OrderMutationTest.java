// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two threads at one protocol, interleaved by seed on memory as weak as the JVM allows. */
class OrderMutationTest {
  @Test
  @Timeout(600)
  void withoutAnyOfTheFencesAnInterleavingDoesHarm() {
    Order.trial().mutate(Order.UNOBSERVABLE);
  }
}
