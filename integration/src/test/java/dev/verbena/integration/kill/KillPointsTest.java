// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.kill.KillPoint.Event;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KillPointsTest {
  private static final KillPoints POINTS = new KillPoints(List.of(2, 3, 5, 7, 8), List.of(1, 4, 9));

  @Test
  void theSameSeedGivesTheSamePoints() {
    assertThat(drawn(POINTS, 42)).isEqualTo(drawn(POINTS, 42)).isNotEqualTo(drawn(POINTS, 43));
  }

  @Test
  void noOthersAreDrawnAndAllOfThem() {
    assertThat(drawn(POINTS, 1))
        .allSatisfy(
            point ->
                assertThat(point.event() == Event.MAP_WRITTEN ? POINTS.maps() : POINTS.readers())
                    .contains(point.task()));
    assertThat(Set.copyOf(drawn(POINTS, 1))).hasSize(5 + 3 + 3);
  }

  @Test
  void withoutAMapTaskThatIsKnownItsReadersAreDrawn() {
    KillPoints readers = new KillPoints(List.of(), List.of(1));
    assertThat(readers.none()).isFalse();
    assertThat(drawn(readers, 1)).noneMatch(point -> point.event() == Event.MAP_WRITTEN);
    assertThat(KillPoints.NONE.none()).isTrue();
  }

  private static List<KillPoint> drawn(KillPoints points, long seed) {
    Random random = new Random(seed);
    return IntStream.range(0, 1000).mapToObj(i -> points.draw(random)).toList();
  }
}
