// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.MIB;
import static dev.verbena.store.local.StoreFixture.bytes;
import static dev.verbena.store.local.StoreFixture.key;
import static dev.verbena.store.local.StoreFixture.options;
import static dev.verbena.store.local.StoreFixture.read;
import static dev.verbena.store.local.StoreFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file system of 2 MiB in memory; mounting it takes root. */
class TinyFileSystemTest {
  @TempDir Path directory;

  private Path tiny;
  private boolean mounted;

  @BeforeEach
  void mount() throws Exception {
    tiny = Files.createDirectory(directory.resolve("tiny"));
    mounted = run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", tiny.toString());
    assumeTrue(mounted, "a tmpfs can't be mounted here (needs root)");
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      assertThat(run("umount", tiny.toString())).isTrue();
    }
  }

  @Test
  void aTierThatDoesNotFitItsFileSystemIsPassedOver() {
    TierOptions tooLarge = TierOptions.memory(tiny.resolve("m"), 4 * MIB, 8 * MIB);
    TierOptions files = TierOptions.file(directory.resolve("f"), 4 * MIB, 8 * MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(tooLarge, files))) {
      write(store, key(1), bytes((int) MIB, 1));
      assertThat(read(store, key(1), 0, 1)).isEqualTo(bytes((int) MIB, 1));
      assertThat(store.usage().pools()).hasSize(1);
      assertThat(store.usage().overflowed()).isTrue();
      assertThat(tiny.resolve("m-0.pool")).doesNotExist();
    }
  }

  @Test
  void aTierGoesAsFarAsItsFileSystemAndThenToTheNext() {
    TierOptions memory = TierOptions.memory(tiny.resolve("m"), MIB, 8 * MIB);
    TierOptions files = TierOptions.file(directory.resolve("f"), 4 * MIB, 8 * MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(memory, files))) {
      for (int i = 0; i < 4; i++) {
        write(store, key(i), bytes((int) MIB, i));
      }
      for (int i = 0; i < 4; i++) {
        assertThat(read(store, key(i), 0, 1)).isEqualTo(bytes((int) MIB, i));
      }
      assertThat(store.usage().overflowed()).isTrue();
    }
  }

  @Test
  void withoutANextTierTheErrorNamesTheFileSystemsRefusal() {
    TierOptions memory = TierOptions.memory(tiny.resolve("m"), MIB, 8 * MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(memory));
        MapOutputWriter writer = store.openMapOutput(key(1), 1)) {
      assertThatThrownBy(() -> writer.append(0, new byte[(int) (4 * MIB)], 0, (int) (4 * MIB)))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_FULL))
          .hasMessageContaining("No space left on device")
          .hasMessageContaining(tiny.toString());
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}
