// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a peer says is checked, and an attack shows what each check is good for. */
@Tag("crash")
class CheckMutationTest {
  @Test
  @Timeout(value = 14, unit = TimeUnit.MINUTES)
  void withoutAnyOfTheChecksAnAttackSucceeds() {
    Checks.trial().mutate(Checks.SAME);
  }
}
