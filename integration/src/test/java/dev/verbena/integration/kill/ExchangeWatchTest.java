// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.Resubmitted$;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.junit.jupiter.api.Test;

class ExchangeWatchTest {
  private static final TaskEndReason SUCCESS = Success$.MODULE$;

  private final ExchangeWatch watch = new ExchangeWatch();

  @Test
  void pointsAreWhatWasReadAcrossExecutorsAndWhoReadIt() {
    watch.onStageSubmitted(Events.stage(1, 0, true));
    watch.onStageSubmitted(Events.stage(2, 0, true));
    map(1, 10);
    map(2, 11);
    map(1, 12);
    watch.onStageSubmitted(Events.stage(3, 0, true, 1));
    reader(3, 13, "own", 5);
    reader(3, 14, "mapped", 5);
    watch.onStageSubmitted(Events.stage(4, 0, false, 2, 3));
    reader(4, 15, "own", 5);
    assertThat(watch.points().maps()).containsExactly(1, 3);
    assertThat(watch.points().readers()).containsExactly(2);
  }

  @Test
  void aQueryWhoseReadersReadTheirOwnStoreHasNone() {
    watch.onStageSubmitted(Events.stage(1, 0, true));
    map(1, 10);
    watch.onStageSubmitted(Events.stage(2, 0, false, 1));
    reader(2, 11, "own", 5);
    assertThat(watch.points().none()).isTrue();
  }

  @Test
  void earlierQueriesAreForgotten() {
    watch.onStageSubmitted(Events.stage(1, 0, true));
    map(1, 10);
    watch.onStageSubmitted(Events.stage(2, 0, false, 1));
    reader(2, 11, "shm", 5);
    assertThat(watch.points().none()).isFalse();
    watch.begin();
    assertThat(watch.points()).isEqualTo(KillPoints.NONE);
  }

  @Test
  void anOutputThatIsLostIsNotOneMore() {
    watch.onStageSubmitted(Events.stage(1, 0, true));
    watch.onTaskEnd(Events.ended(1, 10, Resubmitted$.MODULE$, "own", 0));
    map(1, 11);
    watch.onStageSubmitted(Events.stage(2, 0, false, 1));
    reader(2, 12, "tcp", 5);
    assertThat(watch.points().maps()).containsExactly(1);
  }

  private void map(int stage, long task) {
    watch.onTaskStart(Events.started(stage, task));
    watch.onTaskEnd(Events.ended(stage, task, SUCCESS, "own", 0));
  }

  private void reader(int stage, long task, String carrier, long bytes) {
    watch.onTaskStart(Events.started(stage, task));
    watch.onTaskEnd(Events.ended(stage, task, SUCCESS, carrier, bytes));
  }
}
