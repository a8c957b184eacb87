// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What tasks moved and what befell them, by counter. {@code bytes.<carrier>}, {@code
 * blocks.<carrier>} and {@code fallbacks.<reason>} are the plug-in's; the named ones below Spark's.
 */
record Traffic(SortedMap<String, Long> counts) {
  static final String READ = "spark.bytesRead";
  static final String WRITTEN = "spark.bytesWritten";

  /** Stages that ended early, and so were run again. */
  static final String STAGE_RETRIES = "spark.stageRetries";

  static final String FETCH_FAILURES = "spark.fetchFailures";
  static final String SPECULATIVE = "spark.speculativeTasks";

  private static final String BYTES = "bytes.";
  private static final String FALLBACKS = "fallbacks.";
  private static final String OWN = BYTES + "own";

  long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /** Both together. */
  Traffic plus(Traffic other) {
    SortedMap<String, Long> sums = new TreeMap<>(counts);
    other.counts.forEach((name, value) -> sums.merge(name, value, Long::sum));
    return new Traffic(sums);
  }

  /** All fallbacks, whatever their reason. */
  long fallbacks() {
    return counts.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(FALLBACKS))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** Bytes that came from another executor's store, or that the plug-in did not account for. */
  long foreignBytes() {
    return Math.max(count(READ), countedBytes()) - count(OWN);
  }

  /** The part of the foreign bytes that a carrier brought; 0 if there were none. */
  double share(String carrier) {
    return foreignBytes() == 0 ? 0 : (double) count(BYTES + carrier) / foreignBytes();
  }

  private long countedBytes() {
    return counts.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(BYTES))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
