// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import dev.verbena.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolSweeperTest {
  private static final long SIZE = 1 << 20;

  @TempDir Path directory;

  /** Owns an ephemeral pool and a kept one until it is killed. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      Pool.open(PoolOptions.memory(directory.resolve("ephemeral.pool"), SIZE));
      Pool.open(PoolOptions.memory(directory.resolve("kept.pool"), SIZE).kept());
      System.out.println("open");
      System.in.read();
    }
  }

  @Test
  void poolsOfAnotherLiveProcessStayAndCanNotBeOpened() {
    try (ChildJvm owner = ChildJvm.start(Owner.class, directory.toString())) {
      assertThat(owner.nextLine()).isEqualTo("open");

      assertThat(PoolSweeper.sweep(directory)).isEmpty();
      assertThatThrownBy(
              () -> Pool.open(PoolOptions.memory(directory.resolve("ephemeral.pool"), SIZE)))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_OWNED));
      assertThat(directory.resolve("ephemeral.pool")).exists();
    }
  }

  @Test
  void ofADeadOwnerTheEphemeralPoolIsUnlinkedAndTheKeptOneCanBeOpened() {
    try (ChildJvm owner = ChildJvm.start(Owner.class, directory.toString())) {
      assertThat(owner.nextLine()).isEqualTo("open");
      owner.kill();
    }

    assertThat(PoolSweeper.sweep(directory)).containsExactly(directory.resolve("ephemeral.pool"));
    assertThat(directory.toFile().list()).containsExactlyInAnyOrder("kept.pool");
    Pool.open(PoolOptions.memory(directory.resolve("kept.pool"), SIZE).kept()).close();
  }

  @Test
  void aSetOfPoolsThatClosesSweepsToo() {
    PoolSet pools = new PoolSet(List.of(TierOptions.memory(directory.resolve("mine"), SIZE, SIZE)));
    try (ChildJvm owner = ChildJvm.start(Owner.class, directory.toString())) {
      assertThat(owner.nextLine()).isEqualTo("open");
      owner.kill();
    }
    assertThat(directory.resolve("ephemeral.pool")).exists();

    pools.close();

    assertThat(directory.toFile().list()).containsExactlyInAnyOrder("kept.pool");
  }

  @Test
  void aPoolWhoseMakingWasCutShortIsUnlinkedAndAForeignFileStays() throws IOException {
    Files.write(directory.resolve("half.pool"), new byte[100_000]);
    Files.createFile(directory.resolve("half.pool.lock"));
    Files.writeString(directory.resolve("foreign.pool"), "precious".repeat(100));
    Files.createFile(directory.resolve("foreign.pool.lock"));
    Files.createFile(directory.resolve("lonely.pool.lock"));

    assertThat(PoolSweeper.sweep(directory)).containsExactly(directory.resolve("half.pool"));
    assertThat(directory.toFile().list()).containsExactly("foreign.pool");
    assertThat(PoolSweeper.sweep(directory.resolve("nowhere"))).isEmpty();
  }
}
