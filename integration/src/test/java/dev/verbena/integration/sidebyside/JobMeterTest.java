// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.Resubmitted$;
import org.apache.spark.Success$;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

class JobMeterTest {
  private final JobMeter meter = new JobMeter();

  @Test
  void tasksAreSummedByTheQueryOfTheirStage() {
    meter.onStageSubmitted(stage(1, 0, "q1"));
    meter.onStageSubmitted(stage(2, 0, "q1"));
    meter.onStageSubmitted(stage(3, 0, "q2"));
    meter.onTaskEnd(task(1, 10));
    meter.onTaskEnd(task(2, 20));
    meter.onTaskEnd(task(3, 40));
    assertThat(meter.take("q1").shuffle().localBytesRead()).isEqualTo(30);
    assertThat(meter.take("q1").tasks().count()).isZero();
    assertThat(meter.take("q2").shuffle().localBytesRead()).isEqualTo(40);
  }

  @Test
  void whatATaskAddedIsSummedAndNotTheAccumulatorsValueSoFar() {
    meter.onStageSubmitted(stage(1, 0, "q1"));
    meter.onTaskEnd(task(1, 0, added("verbena.shuffle.bytes.mapped", 5, 5)));
    meter.onTaskEnd(task(1, 0, added("verbena.shuffle.bytes.mapped", 7, 12)));
    assertThat(meter.take("q1").carriers().bytes()).containsOnly(Map.entry("mapped", 12L));
  }

  @Test
  void bytesBlocksAndFallbacksAreToldApart() {
    meter.onStageSubmitted(stage(1, 0, "q1"));
    meter.onTaskEnd(
        task(
            1,
            0,
            added("verbena.shuffle.bytes.shm", 4096, 4096),
            added("verbena.shuffle.blocks.shm", 2, 2),
            added("verbena.shuffle.fallbacks.connect", 1, 1),
            added("number of output rows", 99, 99)));
    JobMetrics metrics = meter.take("q1");
    assertThat(metrics.carriers().bytes()).containsOnly(Map.entry("shm", 4096L));
    assertThat(metrics.carriers().blocks()).containsOnly(Map.entry("shm", 2L));
    assertThat(metrics.carriers().fallbacks()).containsOnly(Map.entry("connect", 1L));
    assertThat(metrics.carriers().fallbackCount()).isEqualTo(1);
  }

  @Test
  void aStageThatIsSubmittedAgainIsARetry() {
    meter.onStageSubmitted(stage(1, 0, "q1"));
    meter.onStageSubmitted(stage(1, 1, "q1"));
    assertThat(meter.take("q1").tasks().stageRetries()).isEqualTo(1);
  }

  @Test
  void stagesOfNoQueryAreLeftOut() {
    SparkListenerStageSubmitted stage =
        new SparkListenerStageSubmitted(info(1, 0), new Properties());
    meter.onStageSubmitted(stage);
    meter.onTaskEnd(task(1, 10));
    assertThat(meter.take("q1")).isEqualTo(JobMetrics.NONE);
  }

  @Test
  void aTaskWhoseOutputIsLostLaterIsCountedOnce() {
    meter.onStageSubmitted(stage(1, 0, "q1"));
    SparkListenerTaskEnd end = task(1, 10, added("verbena.shuffle.bytes.mapped", 5, 5));
    meter.onTaskEnd(end);
    meter.onTaskEnd(
        new SparkListenerTaskEnd(
            1,
            0,
            "ShuffleMapTask",
            Resubmitted$.MODULE$,
            end.taskInfo(),
            new ExecutorMetrics(),
            null));
    JobMetrics metrics = meter.take("q1");
    assertThat(metrics.tasks().count()).isEqualTo(1);
    assertThat(metrics.carriers().bytes()).containsOnly(Map.entry("mapped", 5L));
  }

  private static SparkListenerStageSubmitted stage(int id, int attempt, String query) {
    Properties properties = new Properties();
    properties.setProperty("spark.jobGroup.id", query);
    return new SparkListenerStageSubmitted(info(id, attempt), properties);
  }

  private static StageInfo info(int id, int attempt) {
    return new StageInfo(
        id,
        attempt,
        "stage",
        1,
        none(),
        none(),
        "",
        new TaskMetrics(),
        none(),
        Option.empty(),
        0,
        false,
        0);
  }

  private static SparkListenerTaskEnd task(int stage, long bytes, AccumulableInfo... added) {
    TaskMetrics metrics = new TaskMetrics();
    metrics.shuffleReadMetrics().incLocalBytesRead(bytes);
    TaskInfo info =
        new TaskInfo(0, 0, 0, 0, 0, "0", "127.0.0.1", TaskLocality.PROCESS_LOCAL(), false);
    info.setAccumulables(CollectionConverters.asScala(new ArrayList<>(List.of(added))).toSeq());
    return new SparkListenerTaskEnd(
        stage, 0, "ResultTask", Success$.MODULE$, info, new ExecutorMetrics(), metrics);
  }

  private static AccumulableInfo added(String name, long update, long value) {
    return new AccumulableInfo(
        1,
        Option.apply(name),
        Option.apply(update),
        Option.apply(value),
        false,
        true,
        Option.empty());
  }

  private static <T> Seq<T> none() {
    return CollectionConverters.asScala(new ArrayList<T>()).toSeq();
  }
}
