// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.Await;
import dev.verbena.integration.IntegrationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * A Spark application that shuffles again and again, and ends well only if its executors hold no
 * more at the end than after the first few times. Arguments: the folder for what it found, how
 * often.
 */
public final class SoakApplication {
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(3);

  /** After these, what is made once and kept is there. */
  private static final int WARM_UP = 20;

  private static final int ROWS = 400;
  private static final int TASKS = 4;

  private final JavaSparkContext context;

  private SoakApplication(SparkSession spark) {
    this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
  }

  /** Shuffles. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    int shuffles = Integer.parseInt(args[1]);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      CheckApplication.awaitExecutors(spark, Cluster.EXECUTORS);
      TrafficMeter meter = TrafficMeter.on(spark.sparkContext());
      SoakApplication application = new SoakApplication(spark);
      application.shuffle(WARM_UP);
      Map<String, ExecutorHoldings> start = application.settle(null);
      application.shuffle(shuffles);
      Map<String, ExecutorHoldings> end = application.settle(start);
      new CheckResult(List.of(start.toString(), end.toString()), "", meter.take())
          .write(folder, "soak");
      List<String> memory = new ArrayList<>();
      end.values().forEach(held -> memory.addAll(held.memory()));
      Files.write(folder.resolve("memory"), memory);
    }
  }

  private void shuffle(int times) {
    List<Integer> rows = IntStream.range(0, ROWS).boxed().toList();
    for (int i = 0; i < times; i++) {
      long found =
          context
              .parallelize(rows, TASKS)
              .mapToPair(row -> new Tuple2<>(row, (long) row))
              .partitionBy(new HashPartitioner(TASKS))
              .values()
              .reduce(Long::sum);
      if (found != ROWS * (ROWS - 1L) / 2) {
        throw new IntegrationException("shuffle " + i + " summed to " + found);
      }
    }
  }

  /** Waits until Spark has cleaned up and no executor holds outputs, or more than it did before. */
  private Map<String, ExecutorHoldings> settle(Map<String, ExecutorHoldings> before) {
    List<Map<String, ExecutorHoldings>> last = new ArrayList<>();
    try {
      Await.until(
          SETTLED_WITHIN,
          "executors hold no output, and no more than before",
          () -> {
            // Spark unregisters a shuffle once the driver's collector has found its RDD dead.
            System.gc();
            Map<String, ExecutorHoldings> now = ExecutorHoldings.of(context, Cluster.EXECUTORS);
            last.add(now);
            return now.size() == Cluster.EXECUTORS
                && now.values().stream().allMatch(held -> held.outputs() == 0)
                && (before == null
                    || now.values().stream()
                        .allMatch(held -> held.isWithin(before.get(held.executor()))));
          });
    } catch (IntegrationException late) {
      Map<String, ExecutorHoldings> now = last.get(last.size() - 1);
      throw new IntegrationException(
          late.getMessage()
              + "; "
              + (before == null
                  ? now
                  : now.values().stream()
                      .map(held -> held.since(before.get(held.executor())))
                      .toList()),
          late);
    }
    return last.get(last.size() - 1);
  }
}
