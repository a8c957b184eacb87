// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultPlanTest {
  @Test
  void everyKindOfItemIsRead() {
    FaultPlan plan =
        FaultPlan.parse(
            "seed 7; held; patience 2s; kill COPIED 3; drop FRAME_BUILT 2-5 one in 4; delay 5ms EXECUTED;"
                + " link rate 1000 delay 20us loss 9 outage 1s-2s;");
    assertThat(plan.seed()).isEqualTo(7);
    assertThat(plan.held()).isTrue();
    assertThat(plan.patience()).isEqualTo(Duration.ofSeconds(2));
    assertThat(plan.rules())
        .containsExactly(
            new FaultRule(FaultRule.Action.KILL, FaultStep.COPIED, 3, 3, 1, Duration.ZERO),
            new FaultRule(FaultRule.Action.DROP, FaultStep.FRAME_BUILT, 2, 5, 4, Duration.ZERO),
            new FaultRule(
                FaultRule.Action.DELAY,
                FaultStep.EXECUTED,
                1,
                Long.MAX_VALUE,
                1,
                Duration.ofMillis(5)));
    assertThat(plan.link())
        .isEqualTo(
            new LinkModel.Settings(
                1000, Duration.ofNanos(20_000), 9, Duration.ofSeconds(1), Duration.ofSeconds(2)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kil COPIED | kil",
        "kill COPYED | COPYED",
        "kill copied | copied",
        "kill COPIED x | x",
        "kill COPIED 1 2 | 2",
        "kill COPIED one of 3 | of",
        "kill COPIED one in 0 | 0",
        "kill | missing",
        "delay COPIED | COPIED",
        "delay 5h COPIED | 5h",
        "drop COPIED | COPIED",
        "fail RECEIVE_DEALT | RECEIVE_DEALT",
        "link rat 5 | rat",
        "link outage 5ms | from-to",
        "seed x | x",
        "seed 1 2 | 2",
      })
  void aWrongSpellingIsOneErrorThatNamesIt(String plan, String named) {
    VerbsException failure =
        catchThrowableOfType(VerbsException.class, () -> FaultPlan.parse("seed 1; " + plan));
    assertThat(failure.code()).isEqualTo(VerbsException.Code.INVALID_ARGUMENT);
    assertThat(failure).hasMessageContaining(plan).hasMessageContaining(named);
  }

  @Test
  void aDeviceWithAWrongPlanDoesNotOpen() {
    VerbsException failure =
        catchThrowableOfType(
            VerbsException.class,
            () -> new SoftProvider().open(DeviceOptions.defaults().withFaults("kill NOWHERE")));
    assertThat(failure.code()).isEqualTo(VerbsException.Code.INVALID_ARGUMENT);
  }

  @Test
  void aDeviceWithoutAPlanHasThePortThatDoesNothing() {
    try (Device device = new SoftProvider().open(DeviceOptions.defaults())) {
      assertThat(((SoftDevice) device).faults()).isSameAs(FaultPort.OFF);
    }
  }

  @Test
  void whatIsDrawnDependsOnTheSeedAlone() {
    assertThat(fates(1)).isEqualTo(fates(1)).isNotEqualTo(fates(2)).contains("L").contains("G");
  }

  private static String fates(long seed) {
    FaultPort port =
        FaultPort.of("seed " + seed + "; drop FRAME_BUILT one in 3; duplicate FRAME_BUILT 7");
    StringBuilder fates = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      fates.append(port.frameBuilt() == FaultPort.FrameFate.IS_LOST ? 'L' : 'G');
    }
    return fates.toString();
  }
}
