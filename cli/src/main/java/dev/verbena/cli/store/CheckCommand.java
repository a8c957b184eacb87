// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.store;

import dev.verbena.cli.Bytes;
import dev.verbena.cli.agent.AgentSettings;
import dev.verbena.cli.agent.SettingsException;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.local.LocalBlockStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena store fsck}. */
@Command(
    name = "fsck",
    mixinStandardHelpOptions = true,
    description = {
      "Opens the pools of an agent that does not run as the agent would, and reads every block"
          + " with its checksum. What recovery drops, as damaged or never committed, is gone"
          + " afterwards, with a line in the log for what was damaged.",
      "Ends with 1 if a pool can't be opened, by a running agent for example, or a block can't be"
          + " read."
    })
final class CheckCommand implements Callable<Integer> {
  private static final int WRONG_SETTINGS = 2;

  @Option(names = "--config", required = true, description = "The agent's settings.")
  private Path config;

  @Spec private CommandSpec spec;
  private int whole;
  private int damaged;
  private long bytes;

  /** For picocli. */
  CheckCommand() {}

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    StoreOptions options;
    try {
      options = AgentSettings.read(config).agent().store().withVerifyReads(true);
    } catch (SettingsException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return WRONG_SETTINGS;
    }
    try (LocalBlockStore store = LocalBlockStore.open(options)) {
      for (String application : store.applications()) {
        store.mapOutputs(application).forEach(key -> check(out, store, key));
      }
    } catch (StoreException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return 1;
    }
    out.printf("%d map outputs whole, %s; %d damaged%n", whole, new Bytes(bytes), damaged);
    out.flush();
    return damaged == 0 ? 0 : 1;
  }

  private void check(PrintWriter out, LocalBlockStore store, MapOutputKey key) {
    try (StoredMapOutput output = store.find(key).orElseThrow();
        InputStream in = output.open(0, output.partitions())) {
      bytes += in.transferTo(OutputStream.nullOutputStream());
      whole++;
    } catch (StoreException | IOException e) {
      damaged++;
      out.println(key + ": " + e.getMessage());
    }
  }
}
