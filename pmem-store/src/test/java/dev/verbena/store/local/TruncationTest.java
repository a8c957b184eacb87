// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.ChildJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -Dverbena.truncation.seed=N} takes another seed, which is printed. */
class TruncationTest {
  private static final int ROUNDS = 30;

  @TempDir Path directory;

  @Test
  void aPoolThatIsTruncatedUnderItsUsersEndsTheirOperationsAndNothingElse() {
    long seed = Long.getLong("verbena.truncation.seed", 1);
    try (ChildJvm child =
        ChildJvm.start(
            TruncatingChild.class,
            directory.toString(),
            String.valueOf(seed),
            String.valueOf(ROUNDS))) {
      String line = "";
      for (int round = 1; round <= ROUNDS; round++) {
        line = child.nextLine();
        assertThat(line).startsWith(round + " rounds");
      }
      System.out.println("truncation: seed " + seed + ", " + line);
      assertThat(child.awaitExit()).as(child.errors()).isZero();
    }
  }
}
