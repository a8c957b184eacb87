// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import java.util.stream.Collectors;

/** The reference page of the keys, as Markdown: docs/configuration.md is its text. */
public final class ConfigurationPage {
  private ConfigurationPage() {}

  /** The whole page. */
  public static String markdown() {
    String rows =
        ShuffleKeys.all().stream().map(ConfigurationPage::row).collect(Collectors.joining());
    return """
        # Configuration

        One key turns the shuffle on: `spark.shuffle.manager=dev.verbena.spark.VerbenaShuffleManager`. All
        others have defaults. A key that starts with `spark.shuffle.verbena.` and is not below is an error at
        start, and so is a value that is not as expected.

        This page is generated from the keys' declarations.

        | key | default | expected | meaning |
        |---|---|---|---|
        """
        + rows;
  }

  private static String row(Key<?> key) {
    return "| `%s` | %s | %s | %s |\n"
        .formatted(key.name(), key.whenUnset(), key.expected(), key.entry().doc());
  }
}
