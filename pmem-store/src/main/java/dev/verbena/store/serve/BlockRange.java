// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import java.util.Objects;

/**
 * The blocks of consecutive partitions of one map output.
 *
 * @param output the map output
 * @param first the first partition
 * @param end the partition after the last one, above {@code first}
 */
public record BlockRange(MapOutputKey output, int first, int end) {
  /** Checks the partitions. */
  public BlockRange {
    Objects.requireNonNull(output, "output");
    if (first < 0 || end <= first) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "partitions [" + first + ", " + end + ") of " + output);
    }
  }
}
