// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import dev.verbena.integration.Await;
import dev.verbena.integration.kill.KillPoint.Event;
import dev.verbena.integration.sparkhome.ProcessMaps;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * Counts the tasks of a query, and kills an executor when a count is reached. Runs in the driver of
 * an application whose executors are its descendants. Thread-safe.
 */
public final class ExecutorKiller extends SparkListener {
  private static final Duration DEATH = Duration.ofSeconds(30);
  private static final Duration LOSS_KNOWN = Duration.ofMinutes(3);
  private static final KillPoint NEVER = new KillPoint(Event.MAP_WRITTEN, Integer.MAX_VALUE);

  private final LossMeter losses = new LossMeter();
  private TaskOrder order = new TaskOrder();
  private KillPoint point = NEVER;
  private String killed;
  private long pid;
  private Set<String> memory = Set.of();

  /** Listens to an application from now on. */
  public ExecutorKiller(SparkContext context) {
    context.addSparkListener(losses);
    context.addSparkListener(this);
  }

  /**
   * Forgets earlier queries.
   *
   * @param at when an executor is killed; null for never
   */
  public synchronized void begin(KillPoint at) {
    losses.begin();
    order = new TaskOrder();
    point = at == null ? NEVER : at;
    killed = null;
    pid = 0;
    memory = Set.of();
  }

  /** What came of the kill, once Spark knows of it; later events kill nobody. */
  public KillReport end() {
    String executor = disarm();
    if (executor != null) {
      // The listeners learn of the removal last, so that all else is counted then.
      Await.until(
          LOSS_KNOWN, "executor " + executor + " is known to be lost", () -> losses.lost(executor));
    }
    return report();
  }

  private synchronized String disarm() {
    point = NEVER;
    return killed;
  }

  private synchronized KillReport report() {
    return KillReport.of(killed, pid, losses.counts(), memory);
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    order.submitted(submitted.stageInfo());
  }

  @Override
  public synchronized void onTaskStart(SparkListenerTaskStart task) {
    int number = order.readerStarted(task);
    String executor = task.taskInfo().executorId();
    reached(new KillPoint(Event.READER_STARTED, number), executor, true);
    reached(new KillPoint(Event.SOURCE_OF_READER, number), executor, false);
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    reached(
        new KillPoint(Event.MAP_WRITTEN, order.mapEnded(task)), task.taskInfo().executorId(), true);
  }

  /**
   * Kills, if this is the point.
   *
   * @param same whether the executor that is named dies, or another
   */
  private void reached(KillPoint event, String executor, boolean same) {
    if (!event.equals(point) || killed != null) {
      return;
    }
    Map<String, ProcessHandle> processes = ExecutorProcesses.find();
    ProcessMaps maps = new ProcessMaps();
    processes.values().forEach(process -> maps.note(process.pid()));
    processes.keySet().stream()
        .filter(id -> id.equals(executor) == same)
        .findFirst()
        .ifPresent(
            id -> {
              ProcessHandle victim = processes.get(id);
              victim.destroyForcibly();
              Await.until(DEATH, "executor " + id + " is dead", () -> !victim.isAlive());
              killed = id;
              pid = victim.pid();
              memory = maps.files();
            });
  }
}
