// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import java.util.Comparator;
import java.util.List;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Finds misspelt keys, which would otherwise be ignored without a word. */
final class UnknownKeys {
  private UnknownKeys() {}

  /**
   * Throws for the first key with the plug-in's prefix that is none of its keys.
   *
   * @throws ConfigurationException naming the key and the nearest known one
   */
  static void refuse(SparkConf conf) {
    List<String> known = ShuffleKeys.all().stream().map(Key::name).toList();
    for (Tuple2<String, String> setting : conf.getAll()) {
      String name = setting._1();
      if (name.startsWith(ShuffleKeys.PREFIX) && !known.contains(name)) {
        throw new ConfigurationException(
            "unknown key " + name + ": did you mean " + nearest(name, known) + "?");
      }
    }
  }

  private static String nearest(String name, List<String> known) {
    LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
    return known.stream().min(Comparator.comparingInt(k -> distance.apply(name, k))).orElseThrow();
  }
}
