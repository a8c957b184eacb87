// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlockHolderTest {
  private static final List<String> LOCKS =
      List.of(
          "1: POSIX  ADVISORY  WRITE 11 00:06:345 0 EOF",
          "2: FLOCK  ADVISORY  WRITE 12 00:06:1345 0 EOF",
          "3: FLOCK  ADVISORY  WRITE 13 00:06:345 0 EOF",
          "3: -> FLOCK  ADVISORY  WRITE 14 00:06:345 0 EOF",
          "4: FLOCK  ADVISORY  WRITE -1 00:06:346 0 EOF");

  @Test
  void theProcessThatHasTheLockIsFound() {
    assertThat(FlockHolder.holder(LOCKS, 345)).hasValue(13L);
    assertThat(FlockHolder.holder(LOCKS, 1345)).hasValue(12L);
  }

  @Test
  void aProcessThatIsNotToldIsNotMadeUp() {
    assertThat(FlockHolder.holder(LOCKS, 346)).isEmpty();
    assertThat(FlockHolder.holder(LOCKS, 45)).isEmpty();
    assertThat(FlockHolder.of(Path.of("/proc/self/no-such-file"))).contains("unknown process");
  }
}
