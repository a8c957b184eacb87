// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AxisTest {
  @Test
  void aLinearAxisEndsAtARoundValueThatIsNotBelowTheGreatest() {
    assertThat(Axis.linear(73).ticks())
        .containsExactly(0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0);
    assertThat(Axis.linear(80).ticks()).endsWith(80.0);
    assertThat(Axis.linear(0.0031).ticks()).endsWith(0.0035);
    assertThat(Axis.linear(40).place(10)).isEqualTo(0.25);
  }

  @Test
  void anAxisOfNothingHasEndsAllTheSame() {
    assertThat(Axis.linear(0).ticks()).startsWith(0.0).endsWith(1.0);
  }

  @Test
  void onAnAxisOfRatiosTwiceAndHalfAreEquallyFarFromOne() {
    Axis axis = Axis.ratios(0.3, 1.5);
    assertThat(axis.ticks()).containsExactly(0.25, 0.5, 1.0, 2.0);
    assertThat(axis.place(2) - axis.place(1))
        .isCloseTo(axis.place(1) - axis.place(0.5), within(1e-12));
    assertThat(axis.place(0.25)).isZero();
  }

  @Test
  void labelsCarryNoNeedlessZeros() {
    assertThat(Axis.label(2)).isEqualTo("2");
    assertThat(Axis.label(0.25)).isEqualTo("0.25");
    assertThat(Axis.label(1000)).isEqualTo("1000");
  }
}
