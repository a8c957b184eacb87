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
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * A Spark application that shuffles again and again, in rounds, and ends well only if its executors
 * hold no more after a round than before it. Arguments: the folder for what it found, how often.
 */
public final class SoakApplication {
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(1);

  /**
   * What is made once and kept, as a connection of Spark's or a jar opened late, may come in any
   * round; what comes in each of these is a leak.
   */
  private static final int ROUNDS = 3;

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
      Map<String, ExecutorHoldings> before = application.settle();
      application.shuffle(shuffles);
      Map<String, ExecutorHoldings> end = application.settle();
      List<String> grown = new ArrayList<>();
      while (!application.comesBackTo(before)) {
        end = application.settle();
        grown.add(since(end, before));
        if (grown.size() == ROUNDS) {
          throw new IntegrationException("executors held more after each round: " + grown);
        }
        before = end;
        application.shuffle(shuffles);
        end = application.settle();
      }
      new CheckResult(List.of(since(end, before), grown.toString()), "", meter.take())
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

  /** Waits until Spark has cleaned up and no executor holds an output. */
  private Map<String, ExecutorHoldings> settle() {
    AtomicReference<Map<String, ExecutorHoldings>> last = new AtomicReference<>();
    Await.until(
        SETTLED_WITHIN,
        "executors hold no output",
        () -> {
          // Spark unregisters a shuffle once the driver's collector has found its RDD dead.
          System.gc();
          last.set(ExecutorHoldings.of(context, Cluster.EXECUTORS));
          return last.get().size() == Cluster.EXECUTORS
              && last.get().values().stream().allMatch(held -> held.outputs() == 0);
        });
    return last.get();
  }

  /** Whether it becomes no more than before: connections end in their own time. */
  private boolean comesBackTo(Map<String, ExecutorHoldings> before) {
    return Await.within(
        SETTLED_WITHIN,
        "executors hold no more than before",
        () ->
            ExecutorHoldings.of(context, Cluster.EXECUTORS).values().stream()
                .allMatch(held -> held.isWithin(before.get(held.executor()))));
  }

  private static String since(
      Map<String, ExecutorHoldings> now, Map<String, ExecutorHoldings> before) {
    return now.values().stream()
        .map(held -> held.since(before.get(held.executor())))
        .toList()
        .toString();
  }
}
