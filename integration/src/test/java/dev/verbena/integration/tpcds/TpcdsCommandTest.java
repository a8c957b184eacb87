// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TpcdsCommandTest {
  @Test
  void whatComparesNeedsSomethingToCompareWith() {
    assertThat(refusal("--checksums")).contains("give --compare");
    assertThat(refusal("--kill-executors", "3")).contains("give --compare");
  }

  @Test
  void aRunIsOfOneKind() {
    assertThat(refusal("--compare", "--checksums", "--kill-executors", "3"))
        .contains("one of them");
    assertThat(refusal("--compare", "--checksums", "--rounds", "2")).contains("one of them");
  }

  @Test
  void countsAreNotNegative() {
    assertThat(refusal("--rounds", "0")).contains("--rounds begins with 1");
    assertThat(refusal("--compare", "--kill-executors", "-1")).contains("--kill-executors with 0");
  }

  /** Why the command does not begin. */
  private static String refusal(String... arguments) {
    List<String> messages = new ArrayList<>();
    new CommandLine(new TpcdsCommand())
        .setExecutionExceptionHandler(
            (error, line, parsed) -> {
              messages.add(error.getMessage());
              return 1;
            })
        .execute(arguments);
    assertThat(messages).hasSize(1);
    return messages.get(0);
  }
}
