// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.spark.TaskEndReason;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** What Spark tells its listeners. */
final class Events {
  private Events() {}

  /** A stage that writes a shuffle, or the last one. */
  static SparkListenerStageSubmitted stage(int id, int attempt, boolean writes, int... parents) {
    StageInfo info =
        new StageInfo(
            id,
            attempt,
            "stage",
            1,
            seq(List.of()),
            seq(IntStream.of(parents).mapToObj(parent -> (Object) parent).toList()),
            "",
            new TaskMetrics(),
            seq(List.of()),
            writes ? Option.apply((Object) id) : Option.empty(),
            0,
            false,
            0);
    return new SparkListenerStageSubmitted(info, new Properties());
  }

  static SparkListenerTaskStart started(int stage, long task) {
    return new SparkListenerTaskStart(stage, 0, info(task));
  }

  /** The end of a task that has counted bytes of a carrier. */
  static SparkListenerTaskEnd ended(
      int stage, long task, TaskEndReason reason, String carrier, long bytes) {
    TaskInfo info = info(task);
    AccumulableInfo counted =
        new AccumulableInfo(
            1,
            Option.apply("verbena.shuffle.bytes." + carrier),
            Option.apply(bytes),
            Option.apply(bytes),
            false,
            true,
            Option.empty());
    info.setAccumulables(seq(List.of(counted)));
    return new SparkListenerTaskEnd(
        stage, 0, "task", reason, info, new ExecutorMetrics(), new TaskMetrics());
  }

  private static TaskInfo info(long task) {
    return new TaskInfo(task, 0, 0, 0, 0, "0", "127.0.0.1", TaskLocality.PROCESS_LOCAL(), false);
  }

  private static <T> Seq<T> seq(List<T> items) {
    return CollectionConverters.asScala(new ArrayList<>(items)).toSeq();
  }
}
