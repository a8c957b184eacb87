// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class MainTest {
  /** The help is made by String.format: a bare percent sign would print a warning above it. */
  @Test
  void theHelpOfEveryCommandIsAFormat() {
    commands(Main.line())
        .map(CommandLine::getCommandSpec)
        .flatMap(MainTest::descriptions)
        .forEach(
            text -> assertThatCode(() -> String.format(text)).as(text).doesNotThrowAnyException());
  }

  private static Stream<CommandLine> commands(CommandLine line) {
    return Stream.concat(
        Stream.of(line), line.getSubcommands().values().stream().flatMap(MainTest::commands));
  }

  private static Stream<String> descriptions(CommandSpec spec) {
    return Stream.concat(
        Stream.of(spec.usageMessage().description()),
        spec.options().stream().flatMap(option -> Stream.of(option.description())));
  }
}
