// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MemoryShareTest {
  private static final Path SHM = Path.of("/dev/shm");

  @Test
  void aStoreTakesHalfOfWhatIsFreeDividedByTheStoresOnTheHost() {
    assertThat(MemoryShare.of(SHM, 4L << 30, 2))
        .isEqualTo(new MemoryShare(1L << 30, java.util.Optional.empty()));
  }

  @Test
  void aShareTooSmallToBeOfUseIsZeroAndSaysWhatHelps() {
    MemoryShare share = MemoryShare.of(SHM, 64 << 20, 4);

    assertThat(share.bytes()).isZero();
    assertThat(share.tooSmall().orElseThrow())
        .contains("/dev/shm has 67108864 bytes free")
        .contains("leaves 8388608 for each of 4 stores, expected at least 16777216")
        .contains("--shm-size");
  }

  @Test
  void theFileSystemIsAsked() {
    assertThat(MemoryShare.of(Path.of("/"), 1).bytes()).isNotNegative();
    assertThatThrownBy(() -> MemoryShare.of(Path.of("/no/such/place"), 1))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.IO));
  }
}
