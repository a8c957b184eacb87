// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.pool.ChunkAllocator.Run;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkAllocatorTest {
  @Test
  void theShortestRunThatFitsIsTaken() {
    ChunkAllocator allocator = new ChunkAllocator(100);
    Run first = allocator.allocate(10, 10).orElseThrow();
    assertThat(allocator.allocate(5, 5)).isPresent();
    allocator.free(first);

    assertThat(allocator.allocate(8, 8)).contains(new Run(0, 8));
    assertThat(allocator.allocate(8, 8)).contains(new Run(15, 8));
  }

  @Test
  void lessThanWantedIsGivenWhenNoRunIsLongEnough() {
    ChunkAllocator allocator = new ChunkAllocator(10);

    assertThat(allocator.allocate(4, 50)).contains(new Run(0, 10));
    assertThat(allocator.allocate(1, 1)).isEmpty();
  }

  @Test
  void lessThanTheMinimumIsNeverGiven() {
    ChunkAllocator allocator = new ChunkAllocator(10);

    assertThat(allocator.allocate(11, 50)).isEmpty();
    assertThat(allocator.used()).isZero();
  }

  @Test
  void freedNeighboursAreJoined() {
    ChunkAllocator allocator = new ChunkAllocator(9);
    Run a = allocator.allocate(3, 3).orElseThrow();
    Run b = allocator.allocate(3, 3).orElseThrow();
    Run c = allocator.allocate(3, 3).orElseThrow();
    allocator.free(a);
    allocator.free(c);
    allocator.free(b);

    assertThat(allocator.allocate(9, 9)).contains(new Run(0, 9));
  }

  @Test
  void freeingTwiceIsRefused() {
    ChunkAllocator allocator = new ChunkAllocator(9);
    Run run = allocator.allocate(3, 3).orElseThrow();
    allocator.free(run);

    assertThatThrownBy(() -> allocator.free(run)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> allocator.free(new Run(2, 3)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void onlyAFreeRunCanBeClaimed() {
    ChunkAllocator allocator = new ChunkAllocator(10);

    assertThat(allocator.claim(new Run(2, 4))).isTrue();
    assertThat(allocator.claim(new Run(5, 2))).isFalse();
    assertThat(allocator.claim(new Run(8, 3))).isFalse();
    assertThat(allocator.claim(new Run(8, Integer.MAX_VALUE))).isFalse();
    assertThat(allocator.claim(new Run(0, 2))).isTrue();
  }

  @Test
  void randomTrafficNeverGivesAChunkTwiceAndLosesNone() {
    Random random = new Random(7);
    ChunkAllocator allocator = new ChunkAllocator(500);
    BitSet taken = new BitSet();
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      if (random.nextBoolean()) {
        Optional<Run> run = allocator.allocate(1 + random.nextInt(3), 3 + random.nextInt(40));
        run.ifPresent(
            got -> {
              assertThat(taken.get(got.first(), got.end()).isEmpty()).isTrue();
              taken.set(got.first(), got.end());
              runs.add(got);
            });
      } else if (!runs.isEmpty()) {
        Run run = runs.remove(random.nextInt(runs.size()));
        taken.clear(run.first(), run.end());
        allocator.free(run);
      }
      assertThat(allocator.used()).isEqualTo(taken.cardinality());
    }
    runs.forEach(allocator::free);
    assertThat(allocator.allocate(500, 500)).isPresent();
  }
}
