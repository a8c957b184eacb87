// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.RunDirectory;
import dev.verbena.store.PoolKind;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
      "Then counts CPU and context switches of the store's process over many direct appends, and"
          + " over as many conventional ones with a sleeping server; looking for the entries"
          + " afterwards is left to who reads them, and not counted.",
      "A memory pool promises PROCESS: its rows tell of placement, not of durability."
    })
final class PersistCommand implements Callable<Integer> {
  private static final double POLLING_TARGET = 2;
  private static final double SLEEPING_TARGET = 5;
  private static final int TARGETS_UP_TO = 4096;
  private static final long BYTES_A_ROUND = 32L << 20;
  private static final int CHUNK = 4096;

  @Option(names = "--rounds", description = "Rounds of each subject, at least 2")
  private int rounds = 10;

  @Option(names = "--warm-ups", description = "Rounds not counted")
  private int warmUps = 4;

  @Option(names = "--appends", description = "Appends of a round, fewer of long entries")
  private int appends = 4000;

  @Option(names = "--lengths", split = ",", description = "Bytes of an entry, to ${DEFAULT-VALUE}")
  private int[] lengths = {64, 1024, 4096, 65_536, 1 << 20};

  @Option(names = "--pool", description = "Kind of pool: ${COMPLETION-CANDIDATES}")
  private PoolKind pool = PoolKind.MEMORY;

  @Option(
      names = "--server-appends",
      description = "Appends over which the server's CPU is counted; 0 for none")
  private int serverAppends = 100_000;

  @Option(names = "--json", description = "Where the report goes")
  private Path json;

  @Spec private CommandSpec spec;

  private final List<Result> results = new ArrayList<>();
  private final Map<String, Ratio> ratios = new LinkedHashMap<>();
  private final Map<String, String> busy = new LinkedHashMap<>();

  @Override
  public Integer call() {
    Map<String, String> environment =
        Machine.environment(
            pool == PoolKind.MEMORY
                ? "soft shm, memory pool in /dev/shm (tmpfs), domain PROCESS"
                : "soft shm, file pool, domain POWER by msync");
    environment.forEach((key, value) -> out().printf("%s: %s%n", key, value));
    try (RunDirectory run = RunDirectory.create(Checkout.locate().runs(), "bench-persist")) {
      Path directory = pool == PoolKind.MEMORY ? run.memory() : run.disk();
      for (VerbsEcho.Waiting waiting : VerbsEcho.Waiting.values()) {
        try (PersistBench bench = new PersistBench(directory, pool, waiting)) {
          latencies(bench, waiting);
          if (waiting == VerbsEcho.Waiting.SLEEP && serverAppends > 0) {
            serverCost(bench);
          }
        }
      }
    }
    busy.forEach((benchCase, share) -> environment.put(BenchReport.othersKey(benchCase), share));
    if (json != null) {
      new BenchReport("persist", environment, results, ratios).write(json);
    }
    return 0;
  }

  private void latencies(PersistBench bench, VerbsEcho.Waiting waiting) {
    double target = waiting == VerbsEcho.Waiting.POLL ? POLLING_TARGET : SLEEPING_TARGET;
    for (int length : lengths) {
      int space = (length / CHUNK + 1) * CHUNK;
      int count = (int) Math.min(appends, BYTES_A_ROUND / space);
      CpuWatch watch = CpuWatch.start(bench.far().pid());
      Comparison comparison = bench.latency(length, count, warmUps, rounds);
      report(comparison, watch.others(), length <= TARGETS_UP_TO ? target : 0);
    }
  }

  private void report(Comparison comparison, String others, double target) {
    results.add(comparison.ours());
    results.add(comparison.rival());
    ratios.put(comparison.ratioName(), comparison.ratio());
    busy.put(comparison.metric().benchCase(), others);
    out().printf("%n%s  others=%s%n", comparison.metric().fullName(), others);
    for (Result result : List.of(comparison.ours(), comparison.rival())) {
      out()
          .printf(
              "  %-14s p50 %10s  p99 %10s %s, %d rounds%n",
              result.subject(),
              Markdown.number(result.p50()),
              Markdown.number(result.p99()),
              result.unit(),
              result.runs());
    }
    Ratio ratio = comparison.ratio();
    out()
        .printf(
            "  ratio %s, 95 %% interval %s to %s (%s)%n",
            Markdown.number(ratio.value()),
            Markdown.number(ratio.low()),
            Markdown.number(ratio.high()),
            target == 0
                ? "no target"
                : "target " + Markdown.number(target) + ": " + ratio.verdict(target));
    out().flush();
  }

  private void serverCost(PersistBench bench) {
    ServerCost direct = bench.serverCost(true, serverAppends);
    ServerCost conventional = bench.serverCost(false, serverAppends);
    out().printf("%nserver's process over %d appends of 64 bytes%n", serverAppends);
    report("direct", direct);
    report("conventional", conventional);
    out()
        .printf(
            "  direct of conventional: CPU %.2f %%, context switches %.2f %% (target 1 %% each)%n",
            100 * direct.cpuSeconds() / conventional.cpuSeconds(),
            100.0 * direct.switches() / Math.max(1, conventional.switches()));
    out().flush();
  }

  private void report(String subject, ServerCost cost) {
    out()
        .printf(
            "  %-14s CPU %10s s, context switches %d%n",
            subject, Markdown.number(cost.cpuSeconds()), cost.switches());
    results.add(single(subject, "server_64B.cpu", "s", cost.cpuSeconds()));
    results.add(single(subject, "server_64B.switches", "count", cost.switches()));
  }

  private static Result single(String subject, String metric, String unit, double value) {
    double rounded = Result.rounded(value);
    return new Result(subject, metric, unit, rounded, rounded, rounded, rounded, 1);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
