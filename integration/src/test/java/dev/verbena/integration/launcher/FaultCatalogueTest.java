// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The faults in {@code docs/faults.md}. That the tests named there run is checked by the lane that
 * runs them.
 */
final class FaultCatalogueTest {
  private static final int FAULTS = 36;
  private static final Path PAGE = Path.of("..", "docs", "faults.md");
  private static final Pattern ROW =
      Pattern.compile("\\| (F\\d+) \\|[^|]+\\|[^|]+\\| ([a-z0-9' ]+) \\|(.*)\\|");
  private static final Pattern TESTS =
      Pattern.compile(" `[A-Za-z0-9$]+\\.[a-zA-Z0-9]+`(, `[A-Za-z0-9$]+\\.[a-zA-Z0-9]+`)* ");
  private static final List<String> WITHOUT_TESTS = List.of("can't arise", "not yet");

  /** The suites of the guest, which check that theirs ran as the lanes do. */
  private static final String GUEST = "vm";

  @Test
  void eachFaultIsThereOnceInOrder() throws Exception {
    assertThat(rows())
        .extracting(row -> row.group(1))
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, FAULTS).mapToObj("F%02d"::formatted).toList());
  }

  @Test
  void eachNamesTestsOfALaneOrWhyThereIsNone() throws Exception {
    List<String> lanes =
        Shell.run(Path.of(".."), Map.of(), "bin/verbena", "verify", "--list").lines();
    for (Matcher row : rows()) {
      if (WITHOUT_TESTS.contains(row.group(2))) {
        assertThat(row.group(3)).as(row.group(1)).isBlank();
      } else {
        assertThat(row.group(3)).as(row.group(1)).matches(TESTS);
        assertThat(lanes)
            .as(row.group(1))
            .anyMatch(line -> row.group(2).equals(GUEST) || line.startsWith(row.group(2) + " "));
      }
    }
  }

  private static List<Matcher> rows() throws IOException {
    return Files.readAllLines(PAGE).stream().map(ROW::matcher).filter(Matcher::matches).toList();
  }
}
