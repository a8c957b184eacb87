// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import dev.verbena.integration.sidebyside.JobMetrics.CarrierTotals;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.jdk.javaapi.CollectionConverters;

/** The plug-in's accumulators as a listener sees them. */
public final class CarrierCounters {
  private static final String BYTES = "verbena.shuffle.bytes.";
  private static final String BLOCKS = "verbena.shuffle.blocks.";
  private static final String FALLBACKS = "verbena.shuffle.fallbacks.";

  private CarrierCounters() {}

  /** What a task counted; nothing if it ended as FetchFailed, which Spark tells no counts of. */
  public static CarrierTotals of(SparkListenerTaskEnd task) {
    CarrierTotals totals = new CarrierTotals(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    for (AccumulableInfo info : CollectionConverters.asJava(task.taskInfo().accumulables())) {
      String name = info.name().isDefined() ? info.name().get() : "";
      addTo(totals.bytes(), name, BYTES, info);
      addTo(totals.blocks(), name, BLOCKS, info);
      addTo(totals.fallbacks(), name, FALLBACKS, info);
    }
    return totals;
  }

  /** Adds what the task itself contributed to an accumulator, not its value so far. */
  private static void addTo(
      Map<String, Long> sums, String name, String prefix, AccumulableInfo info) {
    if (name.startsWith(prefix) && info.update().isDefined()) {
      long update = ((Number) info.update().get()).longValue();
      sums.merge(name.substring(prefix.length()), update, Long::sum);
    }
  }
}
