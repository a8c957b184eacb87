// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.apache.spark.FetchFailed;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.jdk.javaapi.CollectionConverters;

/** Counts an application's traffic. Thread-safe. */
final class TrafficMeter extends SparkListener {
  private static final String PREFIX = "verbena.shuffle.";
  private static final long DRAIN_MILLIS = Duration.ofMinutes(1).toMillis();

  private final SparkContext context;
  private SortedMap<String, Long> counts = new TreeMap<>();

  private TrafficMeter(SparkContext context) {
    this.context = context;
  }

  static TrafficMeter on(SparkContext context) {
    TrafficMeter meter = new TrafficMeter(context);
    context.addSparkListener(meter);
    return meter;
  }

  /** What was counted since the last call, up to the tasks that have ended by now. */
  Traffic take() throws TimeoutException {
    if (!context.isStopped()) {
      context.listenerBus().waitUntilEmpty(DRAIN_MILLIS);
    }
    synchronized (this) {
      Traffic taken = new Traffic(counts);
      counts = new TreeMap<>();
      return taken;
    }
  }

  @Override
  public synchronized void onStageCompleted(SparkListenerStageCompleted stage) {
    if (stage.stageInfo().failureReason().isDefined()) {
      add(Traffic.STAGE_RETRIES, 1);
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.reason() instanceof FetchFailed) {
      add(Traffic.FETCH_FAILURES, 1);
    }
    if (end.taskInfo().speculative()) {
      add(Traffic.SPECULATIVE, 1);
    }
    TaskMetrics metrics = end.taskMetrics();
    if (metrics != null) {
      add(Traffic.READ, metrics.shuffleReadMetrics().totalBytesRead());
      add(Traffic.WRITTEN, metrics.shuffleWriteMetrics().bytesWritten());
    }
    for (AccumulableInfo info : CollectionConverters.asJava(end.taskInfo().accumulables())) {
      String name = info.name().isDefined() ? info.name().get() : "";
      if (name.startsWith(PREFIX) && info.update().isDefined()) {
        add(name.substring(PREFIX.length()), ((Number) info.update().get()).longValue());
      }
    }
  }

  private void add(String name, long value) {
    counts.merge(name, value, Long::sum);
  }
}
