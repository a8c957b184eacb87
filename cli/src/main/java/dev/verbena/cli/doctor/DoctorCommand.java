// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.cli.Bytes;
import dev.verbena.memory.DurabilityDomain;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsProvider;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena doctor}. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Looks at what this machine can do for Verbena: versions, devices, RDMA ports, memory,"
          + " limits, each"
          + " carrier over loopback, an append to each kind of pool. What is not as it should be"
          + " comes with a remedy.",
      "Ends with 1 if something that was asked for by an option, or that is needed always, can't"
          + " work."
    })
public final class DoctorCommand implements Callable<Integer> {
  @Option(
      names = "--directory",
      defaultValue = "/dev/shm",
      description = "File system in memory, for devices and pools (pool.directory).")
  private Path directory;

  @Option(
      names = "--files",
      defaultValue = "${sys:java.io.tmpdir}",
      description = "Where pools in files would lie (spark.local.dir).")
  private Path files;

  @Option(
      names = "--stores",
      defaultValue = "1",
      description = "Stores of this host, executors say, that share the directory.")
  private int stores;

  @Option(
      names = "--pool-size",
      converter = Bytes.Converter.class,
      description = "What each store is to have in memory, 2g say (default: its share).")
  private Bytes poolSize;

  @Option(
      names = "--domain",
      description = "What appends must survive: ${COMPLETION-CANDIDATES} (default: any).")
  private DurabilityDomain domain;

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the options. */
  public DoctorCommand() {}

  @Override
  public Integer call() {
    if (stores < 1) {
      throw new ParameterException(
          spec.commandLine(), "--stores is " + stores + ", expected at least 1");
    }
    Kernel kernel = new Kernel(Path.of("/"));
    List<Finding> findings = new ArrayList<>();
    for (Probe probe : probes(kernel)) {
      findings.addAll(probe.look());
    }
    DoctorReport report = DoctorReport.of(findings);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(report.json());
      out.flush();
    } else {
      report.print(out);
    }
    return report.ok() ? 0 : 1;
  }

  /**
   * What the port sends; empty if provider rdmacore, of which another probe tells, can't ask it.
   */
  private static OptionalInt pathMtu(String card) {
    try (Device device = VerbsProvider.openDevice("rdmacore:" + card, DeviceOptions.defaults())) {
      return OptionalInt.of(device.attributes().pathMtu());
    } catch (VerbsException e) {
      return OptionalInt.empty();
    }
  }

  private List<Probe> probes(Kernel kernel) {
    Bytes registered = poolSize == null ? new Bytes(1L << 30) : poolSize;
    return List.of(
        new VersionsProbe(),
        new DevicesProbe(kernel),
        new RdmaProbe(kernel, DoctorCommand::pathMtu),
        new MemoryProbe(kernel, directory, stores, poolSize),
        new LimitsProbe(kernel, registered),
        new CarriersProbe(directory),
        new PoolsProbe(
            directory, files, kernel.daxMounts().stream().map(Path::of).toList(), domain));
  }
}
