// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.bytes;
import static dev.verbena.store.local.StoreFixture.key;
import static dev.verbena.store.local.StoreFixture.options;
import static dev.verbena.store.local.StoreFixture.read;
import static dev.verbena.store.local.StoreFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One pool of several is cut to nothing under a store: the others must be as if it were not. */
class TruncatedPoolTest {
  private static final int POOL_BYTES = 1 << 20;

  @TempDir Path directory;

  @Test
  void aDiscardThatFailsHalfwayEndsNoOtherOutput() throws IOException {
    try (LocalBlockStore store = open()) {
      write(store, key(1), bytes(100, 1));
      MapOutputWriter second = store.openMapOutput(key(1), 1);
      append(second, 100);
      second.startRound();
      MapOutputWriter rest = restOfPool(store);
      append(second, 100);
      second.startRound();
      rest.close();
      cut(1);

      assertThatThrownBy(() -> second.commit(new long[0])).isInstanceOf(StoreException.class);
      write(store, key(3), bytes(100_000, 3)); // In what the discard gave back.
      assertThatThrownBy(second::close).isInstanceOf(StoreException.class);
      write(store, key(4), bytes(2000, 4));

      assertThat(read(store, key(3), 0, 1)).isEqualTo(bytes(100_000, 3));
    }
  }

  @Test
  void aRemovalWhosePoolFailsGivesTheSpaceInOthersBack() throws IOException {
    try (LocalBlockStore store = open()) {
      long before = store.usage().pools().get(0).used();
      try (MapOutputWriter writer = store.openMapOutput(key(1), 1)) {
        append(writer, 500_000);
        writer.startRound();
        MapOutputWriter rest = restOfPool(store);
        writer.commit(new long[0]); // Its manifest is in the second pool.
        rest.close();
      }
      cut(1);

      assertThatThrownBy(() -> store.removeMapOutput(key(1)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("m-1.pool");

      assertThat(store.find(key(1))).isEmpty();
      assertThat(store.usage().pools().get(0).used()).isEqualTo(before);
      assertThat(store.usedBy("app-1")).isZero();
    }
  }

  @Test
  void anApplicationWhoseLogFailsLosesItsOutputsAllTheSame() throws IOException {
    try (LocalBlockStore store = open()) {
      write(store, key(1), bytes(100, 1));
      MapOutputWriter rest = restOfPool(store);
      store.logs().append("app-1", 1, bytes(100, 2), 0, 100); // In the second pool.
      rest.close();
      cut(1);

      assertThatThrownBy(() -> store.removeApplication("app-1"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("m-1.pool");

      assertThat(store.find(key(1))).isEmpty();
    }
  }

  private LocalBlockStore open() {
    return LocalBlockStore.open(
        options(TierOptions.memory(directory.resolve("m"), POOL_BYTES, 8 * POOL_BYTES)));
  }

  /** Holds what is left of the first pool, until it is closed. */
  private static MapOutputWriter restOfPool(LocalBlockStore store) {
    MapOutputWriter writer = store.openMapOutput(new MapOutputKey("app-2", 3, 9), 1);
    append(writer, 100);
    return writer;
  }

  private static void append(MapOutputWriter writer, int length) {
    writer.append(0, bytes(length, 2), 0, length);
  }

  private void cut(int pool) throws IOException {
    Path file = directory.resolve("m-" + pool + ".pool");
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(0);
    }
  }
}
