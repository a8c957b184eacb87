// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import dev.verbena.integration.sidebyside.JobMetrics.CarrierTotals;
import dev.verbena.integration.sidebyside.JobMetrics.ShuffleTotals;
import dev.verbena.integration.sidebyside.JobMetrics.TaskTotals;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.Resubmitted$;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Sums the metrics of tasks by the job group that they belong to, which Spark hands down to every
 * stage that is run for it.
 */
final class JobMeter extends SparkListener {
  private static final String JOB_GROUP = "spark.jobGroup.id";

  private final Map<Integer, String> groupOfStage = new HashMap<>();
  private final Map<String, JobMetrics> metrics = new HashMap<>();

  /** What has been summed for a group, which is forgotten. */
  synchronized JobMetrics take(String group) {
    groupOfStage.values().removeIf(group::equals);
    JobMetrics taken = metrics.remove(group);
    return taken == null ? JobMetrics.NONE : taken;
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
    String group = stage.properties() == null ? null : stage.properties().getProperty(JOB_GROUP);
    if (group == null) {
      return;
    }
    groupOfStage.put(stage.stageInfo().stageId(), group);
    if (stage.stageInfo().attemptNumber() > 0) {
      add(group, new JobMetrics(TaskTotals.STAGE_RETRY, ShuffleTotals.NONE, CarrierTotals.NONE));
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    String group = groupOfStage.get(task.stageId());
    // One whose output is lost later ends a second time, with the counts of the first.
    boolean again = task.reason().equals(Resubmitted$.MODULE$);
    if (group != null && !again) {
      // A task that was lost with its executor has no metrics.
      TaskMetrics metrics = task.taskMetrics() == null ? new TaskMetrics() : task.taskMetrics();
      boolean failed = task.taskInfo().failed();
      add(
          group,
          new JobMetrics(tasks(metrics, failed), shuffle(metrics), CarrierCounters.of(task)));
    }
  }

  private void add(String group, JobMetrics more) {
    metrics.merge(group, more, JobMetrics::plus);
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
        read.recordsRead(),
        read.fetchWaitTime(),
        read.localBytesRead(),
        read.remoteBytesRead(),
        read.localBlocksFetched(),
        read.remoteBlocksFetched());
  }
}
