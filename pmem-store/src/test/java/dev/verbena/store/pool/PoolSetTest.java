// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolSetTest {
  private static final int SIZE = 1 << 20;

  @TempDir Path directory;

  @Test
  void aPoolThatCanNotBeUnlinkedKeepsNoOtherOpen() throws IOException {
    PoolSet pools =
        new PoolSet(List.of(TierOptions.memory(directory.resolve("m"), SIZE, 2 * SIZE)));
    pools.reserve(SIZE / 2, SIZE);
    pools.reserve(SIZE / 2, SIZE);
    assertThat(pools.pools()).hasSize(2);
    Path first = directory.resolve("m-0.pool");
    Files.delete(first);
    Files.createDirectories(first.resolve("something"));

    assertThatThrownBy(pools::close)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("m-0.pool");

    assertThat(directory.resolve("m-1.pool")).doesNotExist();
    assertThat(directory.resolve("m-1.pool.lock")).doesNotExist();
  }
}
