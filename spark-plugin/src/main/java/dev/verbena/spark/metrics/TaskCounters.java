// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import java.io.Serializable;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * Accumulators that tell a task's listener which carrier brought what: {@code
 * verbena.shuffle.bytes.<carrier>}, {@code .blocks.<carrier>} and {@code .fallbacks.<reason>}.
 *
 * <p>The driver registers one set; it travels to tasks inside shuffle handles, where Spark ties
 * each deserialized copy to its task. Thread-safe.
 */
public final class TaskCounters implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String PREFIX = "verbena.shuffle.";

  private final LongAccumulator[] blocks;
  private final LongAccumulator[] bytes;
  private final LongAccumulator[] fallbacks;

  private TaskCounters(SparkContext context) {
    Carrier[] carriers = Carrier.values();
    blocks = new LongAccumulator[carriers.length];
    bytes = new LongAccumulator[carriers.length];
    for (Carrier carrier : carriers) {
      blocks[carrier.ordinal()] = context.longAccumulator(PREFIX + "blocks." + carrier.label());
      bytes[carrier.ordinal()] = context.longAccumulator(PREFIX + "bytes." + carrier.label());
    }
    FallbackReason[] reasons = FallbackReason.values();
    fallbacks = new LongAccumulator[reasons.length];
    for (FallbackReason reason : reasons) {
      fallbacks[reason.ordinal()] = context.longAccumulator(PREFIX + "fallbacks." + reason.label());
    }
  }

  /** Registers a set with an application; on the driver only. */
  public static TaskCounters register(SparkContext context) {
    return new TaskCounters(context);
  }

  /** Counts a block. */
  public synchronized void read(Carrier carrier, long length) {
    blocks[carrier.ordinal()].add(1L);
    bytes[carrier.ordinal()].add(length);
  }

  /** Counts something that fell back. */
  public synchronized void fellBack(FallbackReason reason) {
    fallbacks[reason.ordinal()].add(1L);
  }
}
