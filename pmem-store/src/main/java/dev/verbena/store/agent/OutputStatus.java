// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.MapOutputKey;
import java.util.Comparator;

/**
 * A map output in an agent's store.
 *
 * @param key what it is
 * @param partitions number of its partitions
 * @param bytes of all its blocks
 */
public record OutputStatus(MapOutputKey key, int partitions, long bytes) {
  static final Comparator<OutputStatus> ORDER =
      Comparator.comparing((OutputStatus status) -> status.key().application())
          .thenComparing(status -> status.key().shuffle())
          .thenComparing(status -> status.key().mapAttempt());
}
