// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.RunDirectory;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench verbs}: latency, copy rate and allocation of the software NIC. */
@Command(
    name = "verbs",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Measures provider soft between two JVMs of this machine:",
      "  64-byte SEND/RECV ping-pong beside a bare one (shm: shared words, tcp: plain sockets),",
      "  1 MiB WRITEs beside Unsafe.copyMemory,",
      "  heap allocated by an operation: any makes the exit code 1."
    })
final class VerbsCommand implements Callable<Integer> {
  private static final double PINGPONG_TARGET = 1.0 / 6;
  private static final double PINGPONG_STRETCH = 1.0 / 4;
  private static final double WRITE_TARGET = 0.8;

  @Option(names = "--rounds", description = "Rounds of each subject, at least 2")
  private int rounds = 15;

  @Option(names = "--warm-ups", description = "Rounds not counted")
  private int warmUps = 5;

  @Option(names = "--messages", description = "Messages of a round of ping-pong over shm")
  private int messages = 200_000;

  @Option(names = "--tcp-messages", description = "The same over tcp")
  private int tcpMessages = 3000;

  @Option(names = "--working-set", description = "MiB at each end; more than the L3 cache")
  private int workingSet = 256;

  @Option(names = "--json", description = "Where the report goes")
  private Path json;

  @Spec private CommandSpec spec;

  private final List<Result> results = new ArrayList<>();
  private final Map<String, Ratio> ratios = new LinkedHashMap<>();
  private final Map<String, String> busy = new LinkedHashMap<>();
  private boolean allocates;

  @Override
  public Integer call() {
    Map<String, String> environment =
        Machine.environment("soft shm and tcp, memory in /dev/shm (tmpfs)");
    environment.forEach((key, value) -> out().printf("%s: %s%n", key, value));
    try (RunDirectory run = RunDirectory.create(Checkout.locate().runs(), "bench-verbs")) {
      overShm(run.memory());
      overTcp(run.memory());
    }
    busy.forEach((benchCase, share) -> environment.put(BenchReport.othersKey(benchCase), share));
    if (json != null) {
      new BenchReport("verbs", environment, results, ratios).write(json);
    }
    return allocates ? 1 : 0;
  }

  private void overShm(Path directory) {
    VerbsBench.Sizes sizes =
        new VerbsBench.Sizes(warmUps, rounds, messages, workingSet, messages / 2);
    try (VerbsBench bench =
        new VerbsBench(directory, CarrierPolicy.AUTOMATIC, VerbsEcho.Waiting.POLL, sizes)) {
      FarJvm.expect("shm", bench.carrier());
      CpuWatch watch = CpuWatch.start(bench.far().pid());
      Comparison pingPong = bench.pingPongBesideSharedWords();
      report(pingPong, watch, "target 1/6, stretch 1/4", PINGPONG_TARGET, PINGPONG_STRETCH);
      watch = CpuWatch.start(bench.far().pid());
      report(bench.writeBesideCopy(), watch, "target 0.8", WRITE_TARGET);
      reportAllocation(bench, sizes);
    }
  }

  private void overTcp(Path directory) {
    VerbsBench.Sizes sizes =
        new VerbsBench.Sizes(
            warmUps, rounds, tcpMessages, Math.min(workingSet, 64), 2 * tcpMessages);
    try (VerbsBench bench =
        new VerbsBench(directory, CarrierPolicy.TCP_ONLY, VerbsEcho.Waiting.SLEEP, sizes)) {
      FarJvm.expect("tcp", bench.carrier());
      CpuWatch watch = CpuWatch.start(bench.far().pid());
      report(bench.pingPongBesideSocket(), watch, "no target");
    }
  }

  private void report(Comparison comparison, CpuWatch watch, String goal, double... targets) {
    String others = watch.others();
    busy.put(comparison.metric().benchCase(), others);
    results.add(comparison.ours());
    results.add(comparison.rival());
    ratios.put(comparison.ratioName(), comparison.ratio());
    out().printf("%n%s  others=%s%n", comparison.metric().fullName(), others);
    print(comparison.ours());
    print(comparison.rival());
    Ratio ratio = comparison.ratio();
    out()
        .printf(
            "  ratio %s, 95 %% interval %s to %s (%s%s)%n",
            Markdown.number(ratio.value()),
            Markdown.number(ratio.low()),
            Markdown.number(ratio.high()),
            goal,
            verdict(ratio, targets));
    out().flush();
  }

  private static String verdict(Ratio ratio, double[] targets) {
    StringBuilder text = new StringBuilder();
    for (double target : targets) {
      text.append(": ").append(ratio.verdict(target));
    }
    return text.toString();
  }

  private void print(Result result) {
    out()
        .printf(
            Locale.ROOT,
            "  %-14s p50 %10s  p99 %10s  min %10s  max %10s %s, %d rounds%n",
            result.subject(),
            Markdown.number(result.p50()),
            Markdown.number(result.p99()),
            Markdown.number(result.min()),
            Markdown.number(result.max()),
            result.unit(),
            result.runs());
  }

  private void reportAllocation(VerbsBench bench, VerbsBench.Sizes sizes) {
    String carrier = bench.carrier();
    out().println();
    reportAllocation(
        "send_64B_" + carrier, bench.allocatedByMessages(), 2 * sizes.allocationMessages());
    reportAllocation("write_1MiB_" + carrier, bench.allocatedByWrites(), sizes.pieces());
    reportAllocation("read_1MiB_" + carrier, bench.allocatedByReads(), sizes.pieces());
  }

  private void reportAllocation(String benchCase, long bytes, int operations) {
    double each = Result.rounded((double) bytes / operations);
    String metric = benchCase + ".allocated";
    results.add(new Result("verbena", metric, "B/op", each, each, each, each, 1));
    out().printf("%s  %d bytes in %d operations%n", metric, bytes, operations);
    if (bytes != 0) {
      allocates = true;
      out().printf("FAILED: %s: an operation must not allocate%n", metric);
    }
    out().flush();
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
