// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class KillReportTest {
  @Test
  void aKillThatDidNotHappenIsAMiss() {
    assertThat(KillReport.of(null, 0, LossCounts.NONE, Set.of()).miss())
        .contains("point was not reached");
  }

  @Test
  void aKillAfterWhichNothingWasMadeAgainIsAMiss() {
    assertThat(report(new LossCounts(1, 0, 0, 1, 0, 0)).miss()).contains("executor 1");
  }

  @Test
  void whatWasMadeAgainIsAHit() {
    assertThat(report(new LossCounts(1, 1, 0, 0, 0, 0)).miss()).isNull();
    assertThat(report(new LossCounts(1, 0, 1, 0, 0, 0)).miss()).isNull();
    assertThat(report(new LossCounts(1, 0, 0, 0, 1, 1)).miss()).isNull();
  }

  @Test
  void aStageThatIsRetriedTwiceAfterOneLossIsAFault() {
    assertThat(report(new LossCounts(1, 1, 0, 0, 2, 1)).faults()).isEmpty();
    assertThat(report(new LossCounts(1, 2, 0, 0, 2, 2)).faults())
        .containsExactly("a stage was retried 2 times after the loss of one executor");
  }

  private static KillReport report(LossCounts seen) {
    return KillReport.of("1", 7, seen, Set.of());
  }
}
