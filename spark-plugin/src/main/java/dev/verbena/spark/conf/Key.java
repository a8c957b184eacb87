// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.ConfigEntry;

/**
 * A key of the plug-in.
 *
 * @param entry Spark's description of it
 * @param expected what values it takes, as a phrase for people
 * @param whenUnset what holds without a value, as a phrase for people
 */
record Key<T>(ConfigEntry<T> entry, String expected, String whenUnset) {
  String name() {
    return entry.key();
  }

  /**
   * Reads the value or the default.
   *
   * @throws ConfigurationException if the value is none that is expected
   */
  T read(SparkConf conf) {
    try {
      return conf.get(entry);
    } catch (IllegalArgumentException bad) {
      throw new ConfigurationException(
          name() + " = '" + conf.get(name(), "") + "': expected " + expected, bad);
    }
  }
}
