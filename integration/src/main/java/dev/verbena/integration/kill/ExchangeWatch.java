// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import dev.verbena.integration.sidebyside.CarrierCounters;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Finds out at which points of a query something is read across executors, by what the plug-in
 * counts. Thread-safe.
 */
public final class ExchangeWatch extends SparkListener {
  private final Map<Integer, Set<Integer>> parents = new HashMap<>();
  private final Map<Long, Integer> numberOfReader = new HashMap<>();
  private final Map<Integer, Integer> stageOfMap = new TreeMap<>();
  private final Set<Integer> readAcross = new HashSet<>();
  private final Set<Integer> readers = new TreeSet<>();
  private TaskOrder order = new TaskOrder();

  /** Of no query yet; an application's listener. */
  public ExchangeWatch() {}

  /** Forgets earlier queries. */
  public synchronized void begin() {
    order = new TaskOrder();
    parents.clear();
    numberOfReader.clear();
    stageOfMap.clear();
    readAcross.clear();
    readers.clear();
  }

  /** What has been found since. */
  public synchronized KillPoints points() {
    return new KillPoints(
        stageOfMap.entrySet().stream()
            .filter(map -> readAcross.contains(map.getValue()))
            .map(Map.Entry::getKey)
            .toList(),
        readers.stream().toList());
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    order.submitted(submitted.stageInfo());
    Set<Integer> ids = new HashSet<>();
    CollectionConverters.asJava(submitted.stageInfo().parentIds())
        .forEach(id -> ids.add((Integer) id));
    parents.put(submitted.stageInfo().stageId(), ids);
  }

  @Override
  public synchronized void onTaskStart(SparkListenerTaskStart task) {
    int number = order.readerStarted(task);
    if (number > 0) {
      numberOfReader.put(task.taskInfo().taskId(), number);
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    int map = order.mapEnded(task);
    if (map > 0) {
      stageOfMap.put(map, task.stageId());
    }
    Integer reader = numberOfReader.get(task.taskInfo().taskId());
    if (reader != null && CarrierCounters.of(task).foreignBytes() > 0) {
      readers.add(reader);
      readAcross.addAll(parents.get(task.stageId()));
    }
  }
}
