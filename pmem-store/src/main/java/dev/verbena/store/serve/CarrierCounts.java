// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes and ranges read, by carrier: "mapped", "shm", "tcp".
 *
 * @param byCarrier one entry for each carrier that was used
 */
public record CarrierCounts(Map<String, Count> byCarrier) {
  /**
   * What one carrier brought.
   *
   * @param ranges ranges of blocks
   * @param bytes bytes in them
   */
  public record Count(long ranges, long bytes) {}

  /** Copies the map, sorted by name. */
  public CarrierCounts {
    byCarrier = Collections.unmodifiableMap(new TreeMap<>(byCarrier));
  }

  /** The count of one carrier, zeros if it was not used. */
  public Count of(String carrier) {
    return byCarrier.getOrDefault(carrier, new Count(0, 0));
  }
}
