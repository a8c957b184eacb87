// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Sums the metrics of tasks by the query that they belong to. A query is known by the job group,
 * which Spark hands down to every stage that is run for it.
 */
final class QueryMeter extends SparkListener {
  private static final String JOB_GROUP = "spark.jobGroup.id";
  private static final String BYTES = "verbena.shuffle.bytes.";
  private static final String BLOCKS = "verbena.shuffle.blocks.";
  private static final String FALLBACKS = "verbena.shuffle.fallbacks.";

  private final Map<Integer, String> queryOfStage = new HashMap<>();
  private final Map<String, QueryMetrics> metrics = new HashMap<>();

  /** What has been summed for a query, which is forgotten. */
  synchronized QueryMetrics take(String query) {
    queryOfStage.values().removeIf(query::equals);
    QueryMetrics taken = metrics.remove(query);
    return taken == null ? QueryMetrics.none() : taken;
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
    String query = stage.properties() == null ? null : stage.properties().getProperty(JOB_GROUP);
    if (query == null) {
      return;
    }
    queryOfStage.put(stage.stageInfo().stageId(), query);
    if (stage.stageInfo().attemptNumber() > 0) {
      add(query, countOf(0, 0, 1));
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    String query = queryOfStage.get(task.stageId());
    if (query == null) {
      return;
    }
    add(query, countOf(1, task.taskInfo().failed() ? 1 : 0, 0));
    if (task.taskMetrics() != null) {
      add(query, metricsOf(task));
    }
  }

  private void add(String query, QueryMetrics more) {
    metrics.merge(query, more, QueryMetrics::plus);
  }

  private static QueryMetrics countOf(long tasks, long failedTasks, long stageRetries) {
    return new QueryMetrics(
        tasks,
        failedTasks,
        stageRetries,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>());
  }

  private static QueryMetrics metricsOf(SparkListenerTaskEnd task) {
    TaskMetrics all = task.taskMetrics();
    ShuffleWriteMetrics write = all.shuffleWriteMetrics();
    ShuffleReadMetrics read = all.shuffleReadMetrics();
    SortedMap<String, Long> bytes = new TreeMap<>();
    SortedMap<String, Long> blocks = new TreeMap<>();
    SortedMap<String, Long> fallbacks = new TreeMap<>();
    for (AccumulableInfo info : CollectionConverters.asJava(task.taskInfo().accumulables())) {
      String name = info.name().isDefined() ? info.name().get() : "";
      addTo(bytes, name, BYTES, info);
      addTo(blocks, name, BLOCKS, info);
      addTo(fallbacks, name, FALLBACKS, info);
    }
    return new QueryMetrics(
        0,
        0,
        0,
        all.executorCpuTime() + all.executorDeserializeCpuTime(),
        all.executorRunTime(),
        all.jvmGCTime(),
        write.bytesWritten(),
        write.recordsWritten(),
        write.writeTime(),
        read.fetchWaitTime(),
        read.localBytesRead(),
        read.remoteBytesRead(),
        read.localBlocksFetched(),
        read.remoteBlocksFetched(),
        all.diskBytesSpilled(),
        bytes,
        blocks,
        fallbacks);
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
