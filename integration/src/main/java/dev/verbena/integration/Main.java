// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration;

import dev.verbena.integration.bench.BenchCommand;
import dev.verbena.integration.tpcds.DemoCommand;
import dev.verbena.integration.tpcds.TpcdsCommand;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code bin/verbena} for what needs a Spark home: one class a subcommand. */
@Command(name = "verbena", mixinStandardHelpOptions = true)
public final class Main {
  private static final List<Callable<Integer>> SUBCOMMANDS =
      List.of(new TpcdsCommand(), new DemoCommand(), new BenchCommand());

  private Main() {}

  /** Runs a subcommand and exits with its code. */
  public static void main(String[] args) {
    System.exit(line().execute(args));
  }

  static CommandLine line() {
    CommandLine line = new CommandLine(new Main());
    SUBCOMMANDS.forEach(line::addSubcommand);
    return line.setExecutionExceptionHandler(Main::report);
  }

  private static int report(Exception error, CommandLine line, CommandLine.ParseResult parsed) {
    if (error instanceof IntegrationException) {
      line.getErr().println(line.getCommandName() + ": " + error.getMessage());
    } else {
      error.printStackTrace(line.getErr());
    }
    return line.getCommandSpec().exitCodeOnExecutionException();
  }
}
