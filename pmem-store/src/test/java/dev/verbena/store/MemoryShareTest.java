// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class MemoryShareTest {
  private static final Path SHM = Path.of("/dev/shm");

  @Test
  void aStoreTakesHalfOfWhatIsFreeDividedByTheStoresOnTheHost() {
    assertThat(MemoryShare.of(SHM, 4L << 30, 2, OptionalLong.empty()))
        .isEqualTo(new MemoryShare(1L << 30, Optional.empty()));
    assertThat(MemoryShare.of(SHM, 4L << 30, 2, OptionalLong.of(2L << 30)))
        .isEqualTo(new MemoryShare(1L << 30, Optional.empty()));
  }

  @Test
  void aShareTooSmallToBeOfUseIsZeroAndSaysWhatHelps() {
    MemoryShare share = MemoryShare.of(SHM, 64 << 20, 4, OptionalLong.empty());

    assertThat(share.bytes()).isZero();
    assertThat(share.finding().orElseThrow())
        .contains("/dev/shm has 67108864 bytes free")
        .contains("leaves 8388608 for each of 4 stores, expected at least 16777216")
        .contains("--shm-size");
  }

  @Test
  void aStoreTakesHalfOfWhatItsControlGroupLeavesItIfThatIsLess() {
    MemoryShare share = MemoryShare.of(SHM, 4L << 30, 1, OptionalLong.of(512 << 20));

    assertThat(share.bytes()).isEqualTo(256 << 20);
    assertThat(share.finding().orElseThrow())
        .contains("the cgroup")
        .contains("leaves this process 536870912 bytes")
        .contains("gets 268435456 bytes and not 2147483648")
        .contains("spark.executor.memoryOverhead");
  }

  @Test
  void aControlGroupWithNoRoomBesideTheHeapSendsBlocksToFiles() {
    MemoryShare share = MemoryShare.of(SHM, 4L << 30, 1, OptionalLong.of(0));

    assertThat(share.bytes()).isZero();
    assertThat(share.finding().orElseThrow()).contains("none (blocks go to files)");
  }

  @Test
  void aPoolAskedForThatDoesNotFitIsObjectedTo() {
    assertThat(MemoryShare.objection(SHM, 64 << 20, 1 << 30, OptionalLong.empty()))
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .contains("/dev/shm has 67108864 bytes free")
                    .contains("pool of 1073741824")
                    .contains("--shm-size"));
    assertThat(MemoryShare.objection(SHM, 4L << 30, 1 << 30, OptionalLong.of(64 << 20)))
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .contains("leaves this process 67108864 bytes")
                    .contains("spark.executor.memoryOverhead"));
    assertThat(MemoryShare.objection(SHM, 4L << 30, 1 << 30, OptionalLong.of(1L << 30))).isEmpty();
  }

  @Test
  void theFileSystemIsAsked() {
    assertThat(MemoryShare.of(Path.of("/"), 1, OptionalLong.empty()).bytes()).isNotNegative();
    assertThatThrownBy(() -> MemoryShare.of(Path.of("/no/such/place"), 1, OptionalLong.empty()))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.IO));
  }
}
