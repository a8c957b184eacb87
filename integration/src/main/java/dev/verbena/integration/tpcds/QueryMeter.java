// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.tpcds.QueryMetrics.CarrierTotals;
import dev.verbena.integration.tpcds.QueryMetrics.ShuffleTotals;
import dev.verbena.integration.tpcds.QueryMetrics.TaskTotals;
import java.util.HashMap;
import java.util.Map;
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
    return taken == null ? QueryMetrics.NONE : taken;
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
    String query = stage.properties() == null ? null : stage.properties().getProperty(JOB_GROUP);
    if (query == null) {
      return;
    }
    queryOfStage.put(stage.stageInfo().stageId(), query);
    if (stage.stageInfo().attemptNumber() > 0) {
      add(query, new QueryMetrics(TaskTotals.STAGE_RETRY, ShuffleTotals.NONE, CarrierTotals.NONE));
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    String query = queryOfStage.get(task.stageId());
    if (query != null) {
      // A task that was lost with its executor has no metrics.
      TaskMetrics metrics = task.taskMetrics() == null ? new TaskMetrics() : task.taskMetrics();
      boolean failed = task.taskInfo().failed();
      add(query, new QueryMetrics(tasks(metrics, failed), shuffle(metrics), carriers(task)));
    }
  }

  private void add(String query, QueryMetrics more) {
    metrics.merge(query, more, QueryMetrics::plus);
  }

  private static TaskTotals tasks(TaskMetrics task, boolean failed) {
    return new TaskTotals(
        1,
        failed ? 1 : 0,
        0,
        task.executorCpuTime() + task.executorDeserializeCpuTime(),
        task.executorRunTime(),
        task.jvmGCTime(),
        task.diskBytesSpilled());
  }

  private static ShuffleTotals shuffle(TaskMetrics task) {
    ShuffleWriteMetrics write = task.shuffleWriteMetrics();
    ShuffleReadMetrics read = task.shuffleReadMetrics();
    return new ShuffleTotals(
        write.bytesWritten(),
        write.recordsWritten(),
        write.writeTime(),
        read.fetchWaitTime(),
        read.localBytesRead(),
        read.remoteBytesRead(),
        read.localBlocksFetched(),
        read.remoteBlocksFetched());
  }

  private static CarrierTotals carriers(SparkListenerTaskEnd task) {
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
