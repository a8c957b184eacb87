// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** A Spark application that shuffles a little and writes the sum. Argument: the file. */
public final class SumApplication {
  static final long ROWS = 1000;

  private SumApplication() {}

  public static void main(String[] args) throws Exception {
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      Object sum =
          spark.range(ROWS).repartition(4).selectExpr("sum(id)").collectAsList().get(0).get(0);
      String executors = spark.sparkContext().getExecutorMemoryStatus().keySet().mkString(" ");
      Files.writeString(Path.of(args[0]), sum + " on " + executors);
    }
  }
}
