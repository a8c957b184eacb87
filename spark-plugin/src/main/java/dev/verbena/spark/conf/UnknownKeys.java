// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import java.util.Comparator;
import java.util.List;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Finds misspelt keys, which would otherwise be ignored without a word. */
final class UnknownKeys {
  /** The word of a key that is "verbena". */
  private static final int OURS = 2;

  /** -1 for words that differ by more than two letters. */
  private static final LevenshteinDistance NEAR = new LevenshteinDistance(2);

  private UnknownKeys() {}

  /**
   * Throws for the first key with the plug-in's prefix, or one that looks like it, that is none of
   * its keys.
   *
   * @throws ConfigurationException naming the key and the nearest known one
   */
  static void refuse(SparkConf conf) {
    List<String> known = ShuffleKeys.all().stream().map(Key::name).toList();
    for (Tuple2<String, String> setting : conf.getAll()) {
      String name = setting._1();
      if (isMeantForUs(name) && !known.contains(name)) {
        throw new ConfigurationException(
            "unknown key " + name + ": did you mean " + nearest(name, known) + "?");
      }
    }
  }

  private static boolean isMeantForUs(String name) {
    String[] words = name.split("\\.", OURS + 2);
    return words.length > OURS + 1
        && (words[0] + "." + words[1]).equals("spark.shuffle")
        && NEAR.apply(words[OURS], "verbena") >= 0;
  }

  private static String nearest(String name, List<String> known) {
    LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
    return known.stream().min(Comparator.comparingInt(k -> distance.apply(name, k))).orElseThrow();
  }
}
