// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever fails, all is closed. */
final class TeardownTest {
  private final List<String> closed = new ArrayList<>();

  @Test
  void allIsClosedInOrderAndTheFirstFailureTold() {
    IllegalStateException first = new IllegalStateException("first");
    IOException second = new IOException("second");
    List<AutoCloseable> three =
        List.of(() -> closed.add("b"), () -> fail(second), () -> closed.add("c"));
    Teardown teardown =
        new Teardown()
            .step(() -> closed.add("a"))
            .step(
                () -> {
                  throw first;
                })
            .all(three)
            .step(() -> closed.add("d"));
    assertThat(closed).containsExactly("a", "b", "c", "d");
    assertThatThrownBy(teardown::end).isSameAs(first);
    assertThat(first.getSuppressed()).hasSize(1);
    assertThat(first.getSuppressed()[0]).hasCause(second);
  }

  @Test
  void withoutAFailureItEndsInSilence() {
    new Teardown().step(() -> closed.add("a")).end();
    assertThat(closed).containsExactly("a");
  }

  private static void fail(IOException e) throws IOException {
    throw e;
  }
}
