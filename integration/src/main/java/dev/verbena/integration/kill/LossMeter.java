// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import java.util.HashSet;
import java.util.Set;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.Resubmitted$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Counts what the loss of executors does to a query. Thread-safe. */
final class LossMeter extends SparkListener {
  private final Set<Integer> stages = new HashSet<>();
  private final Set<String> executors = new HashSet<>();
  private LossCounts counts = LossCounts.NONE;

  /** Forgets earlier queries, and what is left of their tasks. */
  synchronized void begin() {
    stages.clear();
    executors.clear();
    counts = LossCounts.NONE;
  }

  synchronized LossCounts counts() {
    return counts;
  }

  /** Whether the driver knows of an executor's end. */
  synchronized boolean lost(String executor) {
    return executors.contains(executor);
  }

  @Override
  public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    executors.add(removed.executorId());
    counts = counts.plus(new LossCounts(1, 0, 0, 0, 0, 0));
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    int retries = submitted.stageInfo().attemptNumber();
    stages.add(submitted.stageInfo().stageId());
    counts = counts.plus(new LossCounts(0, 0, 0, 0, retries > 0 ? 1 : 0, retries));
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    if (stages.contains(task.stageId())) {
      counts = counts.plus(of(task.reason()));
    }
  }

  private static LossCounts of(TaskEndReason reason) {
    if (reason instanceof FetchFailed) {
      return new LossCounts(0, 1, 0, 0, 0, 0);
    }
    if (reason.equals(Resubmitted$.MODULE$)) {
      return new LossCounts(0, 0, 1, 0, 0, 0);
    }
    return reason instanceof ExecutorLostFailure
        ? new LossCounts(0, 0, 0, 1, 0, 0)
        : LossCounts.NONE;
  }
}
