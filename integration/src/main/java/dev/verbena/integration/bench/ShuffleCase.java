// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;

/**
 * What is shuffled: every map task has a block for every reduce task.
 *
 * @param rows of all map tasks together
 */
record ShuffleCase(Shape shape, int maps, int reduces, long rows) {
  private static final long MANY_ROWS_A_BLOCK = 1000;
  private static final long MEGA = 1_000_000;
  private static final long KILO = 1000;

  /** What the rows are. */
  enum Shape {
    /** An RDD of small pairs, written by Kryo: the cost is that of blocks. */
    small,
    /** A DataFrame of wide rows: the cost is that of bytes. */
    large
  }

  ShuffleCase {
    if (maps < 1 || reduces < 1 || rows < maps) {
      throw new IntegrationException(
          "a case needs a map, a reduce and a row a map, got %d, %d and %d"
              .formatted(maps, reduces, rows));
    }
  }

  /** The case of the shape that suits the size of the blocks. */
  static ShuffleCase of(int maps, int reduces, long rows) {
    boolean wide = rows / maps / reduces >= MANY_ROWS_A_BLOCK;
    return new ShuffleCase(wide ? Shape.large : Shape.small, maps, reduces, rows);
  }

  /** As in "1000x1000x4M". */
  String label() {
    return maps + "x" + reduces + "x" + count(rows);
  }

  private static String count(long rows) {
    if (rows % MEGA == 0) {
      return rows / MEGA + "M";
    }
    return rows % KILO == 0 ? rows / KILO + "k" : Long.toString(rows);
  }
}
