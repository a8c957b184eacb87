// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A Spark application with one shuffle between two executors. Argument: the folder for its result.
 */
public final class SoftRoceApplication {
  static final String SHUFFLE = "shuffle";

  /** Makes blocks of some 200 KB, so that most packets of a READ are full. */
  static final int PAYLOAD = 2000;

  /** They are JVMs on emulated processors. */
  private static final Duration EXECUTORS_WITHIN = Duration.ofMinutes(12);

  private SoftRoceApplication() {}

  /** Shuffles once. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
      CheckApplication.awaitExecutors(spark.sc(), Cluster.EXECUTORS, EXECUTORS_WITHIN);
      TrafficMeter meter = TrafficMeter.on(spark.sc());
      Signals signals = new Signals(Files.createDirectories(folder.resolve("signals")));
      List<String> sums = PairedMaps.shuffle(spark, signals, PAYLOAD);
      new CheckResult(sums, "", meter.take()).write(folder, SHUFFLE);
    }
  }
}
