// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.sidebyside.Cluster;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.sidebyside.SparkSubject.Carrier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench shuffle}: the plug-in's shuffle beside stock Spark's. */
@Command(
    name = "shuffle",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Shuffles the same rows on stock Spark and on Spark with the plug-in, two applications of two"
          + " executors each, alive side by side, one job at a time. Stock Spark has Kryo, a heap"
          + " of fixed size and spark.local.dir on the file system of the plug-in's pools.",
      "Ends with 1 if records, their checksum or (by more than 1 %%) their bytes differ, anything"
          + " fell back, or less than 99 %% of the bytes (those from a reader's own store aside)"
          + " went over the carrier asked for.",
      "Without --maps, --reduces and --rows: 1000x1000x4M (small) and 16x16x13M (large)."
    })
final class ShuffleCommand implements Callable<Integer> {
  private static final List<ShuffleCase> STANDARD =
      List.of(
          new ShuffleCase(ShuffleCase.Shape.small, 1000, 1000, 4_000_000),
          new ShuffleCase(ShuffleCase.Shape.large, 16, 16, 13_000_000));
  private static final double TARGET = 0.95;

  private enum Kind {
    verbena,
    vanilla
  }

  @Option(names = "--maps", description = "Map tasks")
  private Integer maps;

  @Option(names = "--reduces", description = "Reduce tasks")
  private Integer reduces;

  @Option(names = "--rows", description = "Rows of all map tasks together")
  private Long rows;

  @Option(
      names = "--shape",
      description =
          "small: an RDD of a long and 16 bytes, by Kryo; large: a DataFrame of a long and 100"
              + " random bytes (default: large if a block has 1000 rows or more)")
  private ShuffleCase.Shape shape;

  @Option(
      names = "--hosts",
      description =
          "What the two executors stand for. two: two hosts (readHostLocalDisk=false; the plug-in"
              + " READs); one: one host (readHostLocalDisk=true; the plug-in maps); both: first the"
              + " one, then the other")
  private ShuffleHosts.Choice hosts = ShuffleHosts.Choice.both;

  @Option(
      names = "--carrier",
      description = "What carries verbs between processes: shm or tcp (default: shm)")
  private Carrier carrier;

  @Option(names = "--rounds", description = "Rounds of each subject, at least 2")
  private int rounds = 8;

  @Option(names = "--warm-ups", description = "Rounds not counted, at least 1")
  private int warmUps = 3;

  @Option(names = "--executor-memory", paramLabel = "MIB", description = "Heap of each executor")
  private int heapMebibytes = 2048;

  @Option(names = "--job-timeout", paramLabel = "SECONDS", description = "Gives up on a job then")
  private long timeout = 1800;

  @Option(names = "--json", description = "Where the report goes")
  private Path json;

  @Option(names = "--subject", hidden = true)
  private Kind kind = Kind.verbena;

  @Spec private CommandSpec spec;

  private final List<Result> results = new ArrayList<>();
  private final Map<String, Ratio> ratios = new LinkedHashMap<>();
  private final Map<String, String> busy = new LinkedHashMap<>();
  private final List<String> faults = new ArrayList<>();

  @Override
  public Integer call() {
    List<ShuffleCase> cases = cases();
    Checkout checkout = Checkout.locate();
    Map<String, String> environment = new LinkedHashMap<>();
    try (RunDirectory run = RunDirectory.create(checkout.runs(), "bench-shuffle")) {
      environment.putAll(Machine.environment(medium(run.memory())));
      environment.put("spark", org.apache.spark.package$.MODULE$.SPARK_VERSION());
      environment.put("master", Cluster.master(heapMebibytes));
      environment.forEach((key, value) -> out().printf("%s: %s%n", key, value));
      for (ShuffleHosts standFor : hosts.rows()) {
        measure(checkout, run, standFor, cases, environment);
      }
      if (!faults.isEmpty()) {
        run.keep();
        out().printf("%nlogs: %s%n", run.disk());
      }
    }
    busy.forEach((benchCase, share) -> environment.put(BenchReport.othersKey(benchCase), share));
    if (json != null) {
      new BenchReport("shuffle", environment, results, ratios).write(json);
    }
    faults.forEach(fault -> out().println("FAILED: " + fault));
    out().flush();
    return faults.isEmpty() ? 0 : 1;
  }

  private void measure(
      Checkout checkout,
      RunDirectory run,
      ShuffleHosts standFor,
      List<ShuffleCase> cases,
      Map<String, String> environment) {
    SparkSubject rival = standFor.vanilla("vanilla");
    SparkSubject ours =
        kind == Kind.verbena
            ? standFor.verbena("verbena", checkout.pluginJar(), carrier)
            : standFor.vanilla("vanilla_again");
    environment.put(standFor + ": " + ours.name(), ours.conf().toString());
    environment.put(standFor + ": " + rival.name(), rival.conf().toString());
    ShuffleReport report = new ShuffleReport(out());
    Cluster cluster = new Cluster(checkout, run, heapMebibytes, Map.of());
    ShuffleBench.Settings settings =
        new ShuffleBench.Settings(heapMebibytes, warmUps, rounds, Duration.ofSeconds(timeout));
    try (ShuffleBench bench = new ShuffleBench(cluster, ours, rival, settings, report)) {
      for (ShuffleCase what : cases) {
        String benchCase = what.label() + standFor.suffix();
        report.begin(benchCase, ours, rival);
        List<Comparison> comparisons = bench.run(what, benchCase);
        busy.put(benchCase, report.others());
        for (Comparison comparison : comparisons) {
          results.add(comparison.ours());
          results.add(comparison.rival());
          ratios.put(comparison.ratioName(), comparison.ratio());
        }
        report.end(comparisons, TARGET);
      }
      faults.addAll(bench.faults());
    } catch (RuntimeException e) {
      run.keep();
      throw e;
    }
  }

  private List<ShuffleCase> cases() {
    if (rounds < 2 || warmUps < 1) {
      throw new ParameterException(
          spec.commandLine(), "needs 2 rounds and a warm-up, got " + rounds + " and " + warmUps);
    }
    if (maps == null && reduces == null && rows == null) {
      return STANDARD.stream().filter(c -> shape == null || c.shape() == shape).toList();
    }
    if (maps == null || reduces == null || rows == null) {
      throw new ParameterException(
          spec.commandLine(), "--maps, --reduces and --rows come together or not at all");
    }
    return List.of(
        shape == null
            ? ShuffleCase.of(maps, reduces, rows)
            : new ShuffleCase(shape, maps, reduces, rows));
  }

  private String medium(Path folder) {
    String carried = kind == Kind.vanilla ? "nothing of ours" : "soft " + carrierName();
    try {
      return "%s; files and pools on %s (%s)"
          .formatted(carried, Files.getFileStore(folder).type(), folder.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException("no file system of " + folder, e);
    }
  }

  private String carrierName() {
    return carrier == Carrier.tcp ? "tcp" : "shm";
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
