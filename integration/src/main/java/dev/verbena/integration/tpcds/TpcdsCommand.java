// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.sidebyside.SparkSubject;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code verbena tpcds}: TPC-DS queries with their shuffle over verbs, held against stock Spark.
 */
@Command(
    name = "tpcds",
    mixinStandardHelpOptions = true,
    description = {
      "Runs TPC-DS queries on Spark with the plug-in.",
      "Ends with 0 if all results are equal (or empty on both), nothing fell back, and 99 %% of the"
          + " shuffle bytes (those from a reader's own store aside) went over the carrier asked"
          + " for."
    })
public final class TpcdsCommand implements Callable<Integer> {
  private enum Kind {
    verbena,
    vanilla
  }

  @Mixin private TpcdsOptions options;

  @Option(
      names = "--scale",
      defaultValue = "1",
      description = "Scale factor of the data, about gigabytes (default: ${DEFAULT-VALUE}).")
  private String scale;

  @Option(
      names = "--queries",
      defaultValue = "all",
      description = "all, heavy (15 that shuffle most), or names: q1,q14a (default: all).")
  private String queries;

  @Option(
      names = "--compare",
      description = "Runs each query on stock Spark too, in turn, and compares the results.")
  private boolean compare;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Runs all queries so many times over; two or more give each speed-up an interval"
              + " (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--checksums",
      description =
          "With --compare: runs without adaptive execution and compares what each map task wrote,"
              + " by record count and checksum.")
  private boolean checksums;

  @Option(
      names = "--kill-executors",
      paramLabel = "N",
      description =
          "With --compare: runs without adaptive execution and kills an executor (SIGKILL) at N"
              + " drawn points of drawn queries that read across executors; the results must be"
              + " equal all the same. A kill that hit nothing is drawn again.")
  private int kills;

  @Option(
      names = "--seed",
      description = "Of the draws of --kill-executors (default: another one each time).")
  private Long seed;

  @Option(
      names = "--path",
      description = "How blocks of a same-host peer are read: ${COMPLETION-CANDIDATES}.")
  private SparkSubject.ReadPath path;

  @Option(
      names = "--carrier",
      description = "What carries verbs between processes: ${COMPLETION-CANDIDATES}.")
  private SparkSubject.Carrier carrier;

  @Option(
      names = "--executor-memory",
      paramLabel = "MIB",
      defaultValue = "2048",
      description = "Heap of each executor in MiB (default: ${DEFAULT-VALUE}).")
  private int executorMebibytes;

  @Option(names = "--subject", defaultValue = "verbena", hidden = true)
  private Kind kind;

  /** For picocli, which sets the options. */
  public TpcdsCommand() {}

  @Override
  public Integer call() {
    Course course = course();
    Checkout checkout = Checkout.locate();
    SparkSubject subject = subject(checkout);
    List<SparkSubject> subjects =
        compare ? List.of(SparkSubject.vanilla(SparkSubject.VANILLA), subject) : List.of(subject);
    boolean ok =
        new TpcdsSession(checkout, options, System.out)
            .run(Scale.parse(scale), queries, subjects, executorMebibytes, course);
    return ok ? 0 : 1;
  }

  private Course course() {
    if (rounds < 1 || kills < 0) {
      throw new IntegrationException("--rounds begins with 1, --kill-executors with 0");
    }
    int special = (checksums ? 1 : 0) + (kills > 0 ? 1 : 0) + (rounds > 1 ? 1 : 0);
    if (special > 1) {
      throw new IntegrationException(
          "--checksums, --kill-executors and --rounds are runs of their own: give one of them");
    }
    if ((checksums || kills > 0) && !compare) {
      throw new IntegrationException(
          "--checksums and --kill-executors compare with stock Spark: give --compare");
    }
    if (checksums) {
      return new Checksums(System.out);
    }
    return kills > 0
        ? new Kills(kills, seed == null ? System.nanoTime() : seed, System.out)
        : new Rounds(rounds);
  }

  private SparkSubject subject(Checkout checkout) {
    if (kind == Kind.verbena) {
      return SparkSubject.verbena("verbena", checkout.pluginJar(), path, carrier);
    }
    System.out.println("stock Spark against itself: this shows nothing about Verbena");
    return SparkSubject.vanilla("vanilla again");
  }
}
