// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import java.io.Serializable;
import java.util.EnumMap;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * Accumulators that tell a task's listener which carrier brought what: {@code
 * verbena.shuffle.bytes.<carrier>}, {@code .blocks.<carrier>} and {@code .fallbacks.<reason>}.
 *
 * <p>The driver registers one set; it travels to tasks inside shuffle handles, where Spark ties
 * each deserialized copy to its task. Thread-safe.
 */
public final class TaskCounters implements ReadCounters, Serializable {
  private static final long serialVersionUID = 1L;
  private static final String PREFIX = "verbena.shuffle.";

  private final EnumMap<Carrier, LongAccumulator> blocks = new EnumMap<>(Carrier.class);
  private final EnumMap<Carrier, LongAccumulator> bytes = new EnumMap<>(Carrier.class);
  private final EnumMap<FallbackReason, LongAccumulator> fallbacks =
      new EnumMap<>(FallbackReason.class);

  private TaskCounters(SparkContext context) {
    for (Carrier carrier : Carrier.values()) {
      blocks.put(carrier, context.longAccumulator(PREFIX + "blocks." + carrier.label()));
      bytes.put(carrier, context.longAccumulator(PREFIX + "bytes." + carrier.label()));
    }
    for (FallbackReason reason : FallbackReason.values()) {
      fallbacks.put(reason, context.longAccumulator(PREFIX + "fallbacks." + reason.label()));
    }
  }

  /** Registers a set with an application; on the driver only. */
  public static TaskCounters register(SparkContext context) {
    return new TaskCounters(context);
  }

  @Override
  public synchronized void read(Carrier carrier, long length) {
    blocks.get(carrier).add(1L);
    bytes.get(carrier).add(length);
  }

  @Override
  public synchronized void fellBack(FallbackReason reason) {
    fallbacks.get(reason).add(1L);
  }
}
