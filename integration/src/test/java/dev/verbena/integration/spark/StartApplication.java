// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A driver in which Spark is started several times, each with more settings than the plug-in's one
 * key. Arguments: the folder for the outcomes; then, for each start, its name and its settings
 * ({@code name key=value,key=value}).
 */
public final class StartApplication {
  private StartApplication() {}

  /** Runs a job on each start, and leaves its rows or the error's message. */
  public static void main(String[] args) throws IOException {
    for (int i = 1; i < args.length; i += 2) {
      Files.writeString(Path.of(args[0], args[i]), outcome(args[i], settings(args[i + 1])));
    }
  }

  private static Map<String, String> settings(String text) {
    Map<String, String> settings = new TreeMap<>();
    for (String setting : text.split(",", -1)) {
      String[] sides = setting.split("=", 2);
      settings.put(sides[0], sides[1]);
    }
    return settings;
  }

  private static String outcome(String name, Map<String, String> settings) {
    SparkConf conf = new SparkConf().setMaster("local[2]").setAppName(name);
    settings.forEach(conf::set);
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      return "rows "
          + spark.parallelize(List.of(3, 1, 2), 3).repartition(2).sortBy(i -> i, true, 2).collect();
    } catch (Exception e) { // Scala declares none of the checked ones it throws
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      return "error " + root.getMessage();
    }
  }
}
