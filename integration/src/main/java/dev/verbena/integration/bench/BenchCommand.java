// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench}: what is measured is a subcommand. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Benchmarks; each alternates Verbena with its rival in one run.",
    subcommands = {
      VerbsCommand.class,
      PersistCommand.class,
      ShuffleCommand.class,
      TableCommand.class
    })
public final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Says that a subcommand is needed. */
  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(), "bench needs one of " + spec.commandLine().getSubcommands().keySet());
  }
}
