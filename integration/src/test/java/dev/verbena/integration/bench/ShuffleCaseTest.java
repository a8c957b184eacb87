// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.bench.ShuffleCase.Shape;
import org.junit.jupiter.api.Test;

class ShuffleCaseTest {
  @Test
  void aCaseIsCalledByItsSizes() {
    assertThat(new ShuffleCase(Shape.small, 1000, 1000, 4_000_000).label())
        .isEqualTo("1000x1000x4M");
    assertThat(new ShuffleCase(Shape.large, 4, 5, 20_000).label()).isEqualTo("4x5x20k");
    assertThat(new ShuffleCase(Shape.large, 4, 5, 20_001).label()).isEqualTo("4x5x20001");
  }

  @Test
  void theShapeFollowsFromTheSizeOfABlock() {
    assertThat(ShuffleCase.of(1000, 1000, 4_000_000).shape()).isEqualTo(Shape.small);
    assertThat(ShuffleCase.of(16, 16, 13_000_000).shape()).isEqualTo(Shape.large);
  }

  @Test
  void aMapWithoutRowsIsRefused() {
    assertThatThrownBy(() -> ShuffleCase.of(10, 1, 9))
        .isInstanceOf(IntegrationException.class)
        .hasMessageContaining("10, 1 and 9");
  }
}
