// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark application that runs checks, one after the other, and leaves their results in a folder.
 * Arguments: the folder, how many executors to wait for, the checks' names.
 */
public final class CheckApplication {
  private static final Duration EXECUTORS_WITHIN = Duration.ofMinutes(3);

  private CheckApplication() {}

  /** Runs the checks; the first that fails ends the application with its error. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    int executors = Integer.parseInt(args[1]);
    List<String> checks = Arrays.asList(args).subList(2, args.length);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      awaitExecutors(spark, executors);
      TrafficMeter meter = TrafficMeter.on(spark.sparkContext());
      for (String check : checks) {
        Checks.Found found = Checks.named(check).run(spark);
        new CheckResult(found.rows(), found.plan(), meter.take()).write(folder, check);
      }
    }
  }

  static void awaitExecutors(SparkSession spark, int executors) {
    awaitExecutors(spark.sparkContext(), executors, EXECUTORS_WITHIN);
  }

  static void awaitExecutors(SparkContext spark, int executors, Duration within) {
    // The driver's own block manager is one of them.
    Await.until(
        within,
        executors + " executors have registered",
        () -> spark.getExecutorMemoryStatus().size() > executors);
  }
}
