// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli;

import dev.verbena.cli.doctor.DoctorCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code bin/verbena} for what runs without a framework. */
@Command(name = "verbena", mixinStandardHelpOptions = true)
public final class Main {
  private Main() {}

  /** Runs a subcommand and exits with its code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).addSubcommand(new DoctorCommand()).execute(args));
  }
}
