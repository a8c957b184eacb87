// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.util.HashSet;
import java.util.Set;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.StageInfo;

/** Sums how long stages took, from submission to completion, and knows their shuffles. */
final class StageClock extends SparkListener {
  private final Set<Integer> shuffles = new HashSet<>();
  private long mapMillis;
  private long reduceMillis;

  /** What has been seen since the last time. */
  record Lap(double mapSeconds, double reduceSeconds, Set<Integer> shuffles) {}

  synchronized Lap lap() {
    Lap lap = new Lap(mapMillis / 1e3, reduceMillis / 1e3, Set.copyOf(shuffles));
    mapMillis = 0;
    reduceMillis = 0;
    shuffles.clear();
    return lap;
  }

  @Override
  public synchronized void onStageCompleted(SparkListenerStageCompleted completed) {
    StageInfo stage = completed.stageInfo();
    long millis = (Long) stage.completionTime().get() - (Long) stage.submissionTime().get();
    if (stage.shuffleDepId().isDefined()) {
      shuffles.add((Integer) stage.shuffleDepId().get());
      mapMillis += millis;
    } else {
      reduceMillis += millis;
    }
  }
}
