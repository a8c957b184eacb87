// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli;

import dev.verbena.cli.agent.AgentCommand;
import dev.verbena.cli.doctor.DoctorCommand;
import dev.verbena.cli.store.StoreCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code bin/verbena} for what runs without a framework. */
@Command(name = "verbena", mixinStandardHelpOptions = true)
public final class Main {
  private Main() {}

  /** Runs a subcommand and exits with its code. */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Main())
            .addSubcommand(new AgentCommand())
            .addSubcommand(new DoctorCommand())
            .addSubcommand(new StoreCommand())
            .execute(args));
  }
}
