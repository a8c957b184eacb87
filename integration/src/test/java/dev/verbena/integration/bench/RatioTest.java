// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.verbena.integration.bench.Metric.Better;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RatioTest {
  @Test
  void halfTheTimeIsTwiceAsGood() {
    Ratio ratio = Ratio.ofPairs(new double[] {1, 1, 1}, new double[] {2, 2, 2}, Better.LOWER);
    assertThat(ratio).isEqualTo(new Ratio(2, 2, 2));
  }

  @Test
  void halfTheRateIsHalfAsGood() {
    Ratio ratio = Ratio.ofPairs(new double[] {1, 1, 1}, new double[] {2, 2, 2}, Better.HIGHER);
    assertThat(ratio).isEqualTo(new Ratio(0.5, 0.5, 0.5));
  }

  /** By hand: logs of 1.5, 2, 3; mean ln(9)/3, deviation 0.3482, t(2, 97.5 %) = 4.3027. */
  @Test
  void theIntervalIsStudentsOfTheLogarithms() {
    Ratio ratio = Ratio.ofPairs(new double[] {2, 2, 2}, new double[] {3, 4, 6}, Better.LOWER);
    assertThat(ratio.value()).isCloseTo(2.080, within(0.001));
    assertThat(ratio.low()).isCloseTo(0.8758, within(0.001));
    assertThat(ratio.high()).isCloseTo(4.941, within(0.002));
  }

  @Test
  void driftThatMeetsBothDoesNotWidenTheInterval() {
    SplittableRandom random = new SplittableRandom(1);
    double[] first = new double[20];
    double[] second = new double[20];
    for (int i = 0; i < 20; i++) {
      double drift = 1 + i;
      first[i] = drift * (1 + 0.01 * random.nextDouble());
      second[i] = 1.5 * drift * (1 + 0.01 * random.nextDouble());
    }
    Ratio ratio = Ratio.ofPairs(first, second, Better.LOWER);
    assertThat(ratio.low()).isGreaterThan(1.48);
    assertThat(ratio.high()).isLessThan(1.52);
  }

  @Test
  void aTargetWithinTheIntervalIsUndecided() {
    Ratio ratio = new Ratio(0.8, 0.7, 0.9);
    assertThat(ratio.verdict(0.7)).isEqualTo("met");
    assertThat(ratio.verdict(0.8)).isEqualTo("undecided");
    assertThat(ratio.verdict(0.91)).isEqualTo("missed");
  }

  @Test
  void onePairHasNoInterval() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Ratio.ofPairs(new double[1], new double[1], Better.LOWER));
  }
}
