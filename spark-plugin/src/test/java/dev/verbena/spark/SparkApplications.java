// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;

/** Starts small Spark applications in the test's own JVM. */
final class SparkApplications {
  static final String MANAGER_KEY = "spark.shuffle.manager";
  static final String MANAGER = VerbenaShuffleManager.class.getName();

  private SparkApplications() {}

  /** An application on {@code local[2]} with the shuffle manager and nothing else set for it. */
  static JavaSparkContext local(Map<String, String> settings) {
    SparkConf conf =
        new SparkConf(false)
            .setMaster("local[2]")
            .setAppName("test")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set(MANAGER_KEY, MANAGER);
    settings.forEach(conf::set);
    return new JavaSparkContext(new SparkContext(conf));
  }
}
