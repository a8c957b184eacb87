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

import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** A store on a DAX device, which holds zeros or a pool, and may be written. */
@EnabledIfEnvironmentVariable(named = "VERBENA_DAX_DEVICE", matches = "/.*")
class DeviceStoreTest {
  @TempDir Path directory;

  private TierOptions device() {
    return TierOptions.device(Path.of(System.getenv("VERBENA_DAX_DEVICE")), 64 * MIB);
  }

  @Test
  void outputsOnADeviceAreFoundAgain() {
    StoreOptions options = options(device());
    byte[] block = bytes((int) MIB, 1);
    try (LocalBlockStore store = LocalBlockStore.open(options)) {
      store.removeMapOutput(key(1));
      write(store, key(1), block, bytes(5, 2));
    }
    try (LocalBlockStore store = LocalBlockStore.open(options)) {
      assertThat(read(store, key(1), 0, 1)).isEqualTo(block);
      assertThat(read(store, key(1), 1, 2)).isEqualTo(bytes(5, 2));
      assertThat(store.removeMapOutput(key(1))).isTrue();
    }
    try (LocalBlockStore store = LocalBlockStore.open(options)) {
      assertThat(store.find(key(1))).isEmpty();
    }
  }

  @Test
  void whatDoesNotFitTheDeviceGoesToFilesAndIsFoundAgain() {
    StoreOptions options =
        options(device(), TierOptions.file(directory.resolve("f"), 32 * MIB, 128 * MIB).kept());
    byte[] block = bytes((int) (20 * MIB), 3);
    try (LocalBlockStore store = LocalBlockStore.open(options)) {
      for (int i = 0; i < 5; i++) {
        store.removeMapOutput(key(i));
        write(store, key(i), block);
      }
      assertThat(directory.resolve("f-1.pool")).exists();
    }
    try (LocalBlockStore store = LocalBlockStore.open(options)) {
      for (int i = 0; i < 5; i++) {
        assertThat(read(store, key(i), 0, 1)).isEqualTo(block);
        assertThat(store.removeMapOutput(key(i))).isTrue();
      }
    }
  }

  @Test
  void aDeviceOfAnotherStoreIsNotTakenForAPoolOfThisOne() {
    TierOptions files = TierOptions.file(directory.resolve("f"), MIB, MIB).kept();
    LocalBlockStore.open(options(device())).close();
    LocalBlockStore.open(options(files)).close();
    assertThatThrownBy(() -> LocalBlockStore.open(options(device(), files)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("f-0.pool: number is 0, expected another than that of /dev/dax");
    LocalBlockStore.open(options(device())).close();
  }
}
