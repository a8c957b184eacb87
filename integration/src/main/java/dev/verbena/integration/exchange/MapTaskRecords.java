// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Option;

/** Notes which shuffles map stages write, and how many records each of their tasks did. */
final class MapTaskRecords extends SparkListener {
  private final Set<Integer> mapStages = new HashSet<>();
  private final SortedSet<Integer> shuffles = new TreeSet<>();
  private final Map<Long, Long> recordsByTask = new HashMap<>();

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
    Option<Object> shuffle = stage.stageInfo().shuffleDepId();
    if (shuffle.isDefined()) {
      mapStages.add(stage.stageInfo().stageId());
      shuffles.add((Integer) shuffle.get());
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    if (mapStages.contains(task.stageId()) && task.taskInfo().successful()) {
      long records = task.taskMetrics().shuffleWriteMetrics().recordsWritten();
      recordsByTask.put(task.taskInfo().taskId(), records);
    }
  }

  /** Forgets what was noted. */
  synchronized void clear() {
    mapStages.clear();
    shuffles.clear();
    recordsByTask.clear();
  }

  /** The shuffles that were written, ascending. */
  synchronized SortedSet<Integer> shuffles() {
    return new TreeSet<>(shuffles);
  }

  /** What a task wrote; null if it did not end well. */
  synchronized Long records(long task) {
    return recordsByTask.get(task);
  }
}
