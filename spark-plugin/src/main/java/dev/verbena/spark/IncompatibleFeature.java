// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;

/**
 * A feature of Spark that serves map outputs from files, and so needs Spark's own shuffle.
 * Push-based shuffle works only with the external shuffle service, so its key is not asked.
 *
 * @param key the key that turns it on
 * @param name what people call it
 */
record IncompatibleFeature(String key, String name) {
  private static final List<IncompatibleFeature> ALL =
      List.of(
          new IncompatibleFeature("spark.shuffle.service.enabled", "the external shuffle service"),
          new IncompatibleFeature(
              "spark.storage.decommission.fallbackStorage.path", "fallback storage"));

  /** The first one that is on. */
  static Optional<IncompatibleFeature> in(SparkConf conf) {
    return ALL.stream().filter(feature -> feature.isOn(conf)).findFirst();
  }

  private boolean isOn(SparkConf conf) {
    String value = conf.get(key, "");
    return !value.isEmpty() && !value.equalsIgnoreCase("false");
  }
}
