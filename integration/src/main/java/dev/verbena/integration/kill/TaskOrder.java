// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import java.util.HashSet;
import java.util.Set;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;

/**
 * Numbers the tasks of a query, from 1, in the order in which the driver learns of them. Not
 * thread-safe.
 */
final class TaskOrder {
  private final Set<Integer> writing = new HashSet<>();
  private final Set<Integer> reading = new HashSet<>();
  private int mapsEnded;
  private int readersStarted;

  void submitted(StageInfo stage) {
    if (stage.shuffleDepId().isDefined()) {
      writing.add(stage.stageId());
    }
    if (stage.parentIds().nonEmpty()) {
      reading.add(stage.stageId());
    }
  }

  /** The number of a task as one that reads a shuffle; 0 if it does not. */
  int readerStarted(SparkListenerTaskStart task) {
    return reading.contains(task.stageId()) ? ++readersStarted : 0;
  }

  /** The number of a task as one whose map output is there now; 0 if there is none. */
  int mapEnded(SparkListenerTaskEnd task) {
    boolean written = writing.contains(task.stageId()) && task.reason().equals(Success$.MODULE$);
    return written ? ++mapsEnded : 0;
  }
}
