// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.Resubmitted$;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import scala.Option;

class LossMeterTest {
  private static final TaskEndReason FETCH_FAILED =
      new FetchFailed(
          BlockManagerId.apply("1", "127.0.0.1", 1, Option.empty()), 0, 0, 0, 0, "gone");

  private final LossMeter meter = new LossMeter();

  @Test
  void eachKindIsCountedApart() {
    meter.onStageSubmitted(Events.stage(1, 0, true));
    end(1, Success$.MODULE$);
    end(1, Resubmitted$.MODULE$);
    end(1, FETCH_FAILED);
    end(1, FETCH_FAILED);
    end(1, FETCH_FAILED);
    end(1, new ExecutorLostFailure("1", false, Option.empty()));
    end(1, new ExecutorLostFailure("1", false, Option.empty()));
    meter.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "1", "killed"));
    assertThat(meter.counts()).isEqualTo(new LossCounts(1, 3, 1, 2, 0, 0));
    assertThat(meter.lost("1")).isTrue();
    assertThat(meter.lost("2")).isFalse();
  }

  @Test
  void retriesAreSummedAndThoseOfOneStageToldToo() {
    meter.onStageSubmitted(Events.stage(1, 0, true));
    meter.onStageSubmitted(Events.stage(2, 0, false, 1));
    meter.onStageSubmitted(Events.stage(1, 1, true));
    meter.onStageSubmitted(Events.stage(2, 1, false, 1));
    meter.onStageSubmitted(Events.stage(2, 2, false, 1));
    assertThat(meter.counts()).isEqualTo(new LossCounts(0, 0, 0, 0, 3, 2));
  }

  @Test
  void whatIsLeftOfAnEarlierQueryIsNotCounted() {
    meter.onStageSubmitted(Events.stage(1, 0, true));
    meter.begin();
    end(1, FETCH_FAILED);
    assertThat(meter.counts()).isEqualTo(LossCounts.NONE);
  }

  private void end(int stage, TaskEndReason reason) {
    meter.onTaskEnd(Events.ended(stage, 1, reason, "own", 0));
  }
}
