// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.store;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena store}, with a subcommand for each question. */
@Command(
    name = "store",
    mixinStandardHelpOptions = true,
    subcommands = {ListCommand.class, StatCommand.class, CheckCommand.class, CollectCommand.class},
    description = "What is in the store of this node's agent, and whether it is whole.")
public final class StoreCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** For picocli. */
  public StoreCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "expected one of ls, stat, fsck, gc");
  }
}
