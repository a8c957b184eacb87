// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.Await;
import dev.verbena.integration.spark.ExecutorLoss.Point;
import dev.verbena.integration.sparkhome.ProcessMaps;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark application that loses an executor at each point. Arguments: the folder for its results,
 * and whether a run in which no fetch failed is repeated.
 */
public final class ExecutorLossApplication {
  private static final Duration REPLACED_WITHIN = Duration.ofMinutes(3);
  private static final int MOST_RUNS = 4;

  private final SparkSession spark;
  private final TrafficMeter meter;
  private final ProcessMaps maps = new ProcessMaps();

  private ExecutorLossApplication(SparkSession spark) {
    this.spark = spark;
    this.meter = TrafficMeter.on(spark.sparkContext());
  }

  /** Runs all points. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    boolean repeats = Boolean.parseBoolean(args[1]);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      ExecutorLossApplication application = new ExecutorLossApplication(spark);
      for (Point point : Point.values()) {
        application.loseOne(folder, point, repeats);
      }
      Files.write(folder.resolve("memory"), application.maps.files());
    }
  }

  private void loseOne(Path folder, Point point, boolean repeats) throws Exception {
    for (int run = 1; ; run++) {
      CheckApplication.awaitExecutors(spark, Cluster.EXECUTORS);
      Path signals = Files.createDirectories(folder.resolve(point + "-" + run));
      ExecutorLoss loss =
          new ExecutorLoss(
              JavaSparkContext.fromSparkContext(spark.sparkContext()), new Signals(signals));
      String undisturbed = loss.sumUndisturbed();
      meter.take();
      CompletableFuture<String> killing =
          CompletableFuture.supplyAsync(() -> loss.killWhenAsked(List.of(maps)));
      String disturbed = loss.sumWithLoss(point);
      awaitLossIsKnown(killing.get());
      Traffic traffic = meter.take();
      boolean failed = traffic.count(Traffic.FETCH_FAILURES) > 0;
      if (failed || !repeats || run == MOST_RUNS) {
        CheckResult result =
            new CheckResult(List.of(undisturbed, disturbed, "runs " + run), "", traffic);
        result.write(folder, point.name());
        return;
      }
    }
  }

  private void awaitLossIsKnown(String executor) {
    Await.until(
        REPLACED_WITHIN,
        "executor " + executor + " is known to be lost",
        () -> !spark.sparkContext().getExecutorIds().contains(executor));
  }
}
