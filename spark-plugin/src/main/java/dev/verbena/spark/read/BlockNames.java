// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.serve.BlockRange;

/**
 * Reads the names of shuffle blocks as Spark's fetcher tells them to its client: {@code
 * shuffle_<shuffle>_<map>_<reduce>}, with one number more if it is of consecutive blocks. Spark's
 * own parser tries one regular expression after the other, which shows with many small blocks.
 */
final class BlockNames {
  private static final String KIND = "shuffle";
  private static final int PARTS = 4;

  private BlockNames() {}

  /**
   * What a name stands for.
   *
   * @throws IllegalArgumentException if it is not the name of shuffle blocks
   */
  static BlockRange range(String application, String name) {
    String[] parts = name.split("_", -1);
    boolean batch = parts.length == PARTS + 1;
    if (!parts[0].equals(KIND) || !(batch || parts.length == PARTS)) {
      throw new IllegalArgumentException("not the name of shuffle blocks: " + name);
    }
    int first = Integer.parseInt(parts[3]);
    return new BlockRange(
        new MapOutputKey(application, Integer.parseInt(parts[1]), Long.parseLong(parts[2])),
        first,
        batch ? Integer.parseInt(parts[PARTS]) : first + 1);
  }
}
