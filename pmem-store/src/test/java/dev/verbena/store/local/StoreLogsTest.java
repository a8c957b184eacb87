// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreLogsTest {
  private static final String APPLICATION = "app";
  private static final int LOG = 1;

  @TempDir private Path directory;

  private LocalBlockStore store;

  @BeforeEach
  void open() {
    store =
        LocalBlockStore.open(
            StoreOptions.of(TierOptions.file(directory.resolve("logs"), 1 << 20, 1 << 20)));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aMessageThatIsNotWhatItsChecksumSaysIsToldAsCorrupt() {
    MappedMemory message = MappedMemory.of(ByteBuffer.allocateDirect(100));
    store.logs().append(APPLICATION, LOG, message, 0, 100, 7);

    assertThatThrownBy(() -> entries().get(0).read())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.CORRUPT));
  }

  @Test
  void anEntryOfAStoreThatIsClosedSaysSo() {
    store.logs().append(APPLICATION, LOG, new byte[] {1, 2}, 0, 2);
    LogEntry entry = entries().get(0);
    assertThat(entry.read()).contains(new byte[] {1, 2});
    store.close();

    assertThatThrownBy(entry::read)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.CLOSED));
  }

  @Test
  void anAppendThatFindsNoRoomLeavesNothing() {
    long before = store.usage().used();

    assertThatThrownBy(() -> store.logs().append(APPLICATION, LOG, new byte[2 << 20], 0, 2 << 20))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_FULL));
    assertThat(entries()).isEmpty();
    assertThat(store.usage().used()).isEqualTo(before);
    assertThat(store.usedBy(APPLICATION)).isZero();
  }

  private List<LogEntry> entries() {
    return store.logs().entries(APPLICATION, LOG);
  }
}
