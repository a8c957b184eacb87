// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.PoolKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench persist}: appends into another process's store, one-sided and by message. */
@Command(
    name = "persist",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Appends entries to a log in the store of another JVM, over soft/shm:",
      "  direct: WRITE, FLUSH, publish, FLUSH in one doorbell,",
      "  conventional: SEND; the other side copies, persists and answers, polling or asleep.",
      "A memory pool promises PROCESS: its rows tell of placement, not of durability. A file pool"
          + " is made durable by msync; its rows tell where the time goes.",
      "Then counts CPU and context switches of the store's process over many direct appends, and"
          + " over as many conventional ones with a sleeping server, both after warm-ups and once"
          + " the process is idle; looking for the entries afterwards is left to who reads them,"
          + " and not counted."
    })
final class PersistCommand implements Callable<Integer> {
  private static final double POLLING_TARGET = 2;
  private static final double SLEEPING_TARGET = 5;
  private static final double REST_TARGET = 2;
  private static final int TARGETS_UP_TO = 4096;
  private static final long BYTES_A_ROUND = 32L << 20;
  private static final int CHUNK = 4096;
  private static final List<PoolKind> MEASURED = List.of(PoolKind.MEMORY, PoolKind.FILE);

  @Option(names = "--rounds", description = "Rounds of each subject, at least 2")
  private int rounds = 10;

  @Option(names = "--warm-ups", description = "Rounds not counted")
  private int warmUps = 4;

  @Option(names = "--appends", description = "Appends of a round, fewer of long entries")
  private int appends = 4000;

  @Option(names = "--file-appends", description = "The same for a pool in a file")
  private int fileAppends = 100;

  @Option(
      names = "--lengths",
      split = ",",
      description = "Bytes of an entry, at most " + PersistBench.LONGEST)
  private int[] lengths = {64, 1024, 4096, 65_536, PersistBench.LONGEST};

  @Option(names = "--pools", split = ",", description = "Kinds of pool: MEMORY, FILE")
  private List<PoolKind> pools = MEASURED;

  @Option(
      names = "--server-appends",
      description = "Appends over which the server's CPU is counted; 0 for none")
  private int serverAppends = 100_000;

  @Option(names = "--json", description = "Where the report goes")
  private Path json;

  @Spec private CommandSpec spec;

  private PersistReport report;

  @Override
  public Integer call() {
    if (!MEASURED.containsAll(pools)) {
      throw new ParameterException(
          spec.commandLine(), "--pools is " + pools + ", expected some of " + MEASURED);
    }
    try (RunDirectory run = RunDirectory.create(Checkout.locate().runs(), "bench-persist")) {
      report = new PersistReport(spec.commandLine().getOut(), environment(run));
      for (PoolKind kind : pools) {
        Map<Integer, Double> carried = kind == PoolKind.FILE ? carried(run) : Map.of();
        for (VerbsEcho.Waiting waiting : VerbsEcho.Waiting.values()) {
          measure(setting(run, kind, waiting), carried);
        }
      }
    }
    if (json != null) {
      report.write(json);
    }
    return 0;
  }

  private static Map<String, String> environment(RunDirectory run) {
    return Machine.environment(
        "soft shm; memory pool in /dev/shm ("
            + fileSystem(run.memory())
            + "), domain PROCESS; file pool on disk ("
            + fileSystem(run.disk())
            + "), domain POWER by msync");
  }

  private static String fileSystem(Path folder) {
    try {
      return Files.getFileStore(folder).type();
    } catch (IOException e) {
      throw new IntegrationException("cannot tell the file system of " + folder, e);
    }
  }

  private static AppendSetting setting(RunDirectory run, PoolKind kind, VerbsEcho.Waiting waiting) {
    return kind == PoolKind.MEMORY
        ? new AppendSetting(run.memory(), run.memory(), kind, DurabilityDomain.PROCESS, waiting)
        : new AppendSetting(run.memory(), run.disk(), kind, DurabilityDomain.POWER, waiting);
  }

  /** What a direct append into a file takes of which no durability is asked, by length. */
  private Map<Integer, Double> carried(RunDirectory run) {
    Map<Integer, Double> carried = new LinkedHashMap<>();
    AppendSetting setting =
        new AppendSetting(
            run.memory(),
            run.disk(),
            PoolKind.FILE,
            DurabilityDomain.PROCESS,
            VerbsEcho.Waiting.POLL);
    try (PersistBench bench = new PersistBench(setting)) {
      for (int length : lengths) {
        AppendRounds direct = bench.direct(length, count(PoolKind.MEMORY, length));
        for (int i = 0; i < warmUps; i++) {
          direct.round();
        }
        double sum = 0;
        for (int i = 0; i < rounds; i++) {
          sum += direct.round().value();
        }
        carried.put(length, sum / rounds);
      }
    }
    return carried;
  }

  private void measure(AppendSetting setting, Map<Integer, Double> carried) {
    try (PersistBench bench = new PersistBench(setting)) {
      for (int length : lengths) {
        if (setting.kind() == PoolKind.MEMORY) {
          placement(bench, setting, length);
        } else {
          durable(bench, setting, length, carried.get(length));
        }
      }
      if (setting.kind() == PoolKind.MEMORY
          && setting.waiting() == VerbsEcho.Waiting.SLEEP
          && serverAppends > 0) {
        serverCosts(bench);
      }
    }
  }

  /** Counted once both ways have run as long as they are counted, and are compiled. */
  private void serverCosts(PersistBench bench) {
    AppendRounds direct = bench.direct(PersistBench.COSTED, serverAppends);
    AppendRounds conventional = bench.conventional(PersistBench.COSTED, serverAppends);
    for (int i = 0; i < warmUps; i++) {
      direct.round();
      conventional.round();
    }
    report.add(serverAppends, bench.serverCost(direct), bench.serverCost(conventional));
  }

  private int count(PoolKind kind, int length) {
    int space = (length / CHUNK + 1) * CHUNK;
    long most = kind == PoolKind.MEMORY ? appends : fileAppends;
    return (int) Math.max(1, Math.min(most, BYTES_A_ROUND / space));
  }

  private void placement(PersistBench bench, AppendSetting setting, int length) {
    CpuWatch watch = CpuWatch.start(bench.far().pid());
    int count = count(setting.kind(), length);
    Comparison comparison =
        Comparison.run(
            metric(setting, length, "latency"),
            bench.direct(length, count),
            bench.conventional(length, count),
            warmUps,
            rounds);
    double target = setting.waiting() == VerbsEcho.Waiting.POLL ? POLLING_TARGET : SLEEPING_TARGET;
    report.add(comparison, watch.others(), length <= TARGETS_UP_TO ? target : 0);
  }

  private void durable(PersistBench bench, AppendSetting setting, int length, double carried) {
    CpuWatch watch = CpuWatch.start(bench.far().pid());
    int count = count(setting.kind(), length);
    AppendRounds direct = bench.direct(length, count);
    AppendRounds conventional = bench.conventional(length, count);
    Alternation<AppendRounds.Split> found =
        Alternation.run(direct::splitRound, conventional::splitRound, warmUps, rounds);
    String others = watch.others();
    report.add(
        Comparison.of(
            metric(setting, length, "latency"),
            direct.name(),
            conventional.name(),
            found.map(AppendRounds.Split::sample)),
        others,
        0);
    String benchCase = setting.benchCase(length);
    report.add(
        benchCase,
        direct.name(),
        found.ours().stream().map(round -> round.split().withCarried(carried)).toList());
    report.add(
        benchCase,
        conventional.name(),
        found.rival().stream().map(AppendRounds.Split::split).toList());
    report.add(
        Comparison.of(
            metric(setting, length, "all_but_persist"),
            direct.name(),
            conventional.name(),
            found.map(round -> Sample.of(round.split().rest()))),
        others,
        REST_TARGET);
  }

  private static Metric metric(AppendSetting setting, int length, String name) {
    return new Metric(setting.benchCase(length), name, "us", Metric.Better.LOWER);
  }
}
