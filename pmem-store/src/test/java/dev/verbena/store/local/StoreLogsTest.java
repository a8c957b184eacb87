// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.pool.Pool;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordLayout;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
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

  @Test
  void entriesOfALogThatWasRemovedAndBeganAnewAreNotTakenForOldOnes() {
    long old = store.logs().append(APPLICATION, LOG, new byte[1], 0, 1);
    store.removeApplication(APPLICATION);

    assertThat(store.logs().append(APPLICATION, LOG, new byte[1], 0, 1)).isGreaterThan(old);
  }

  @Test
  void aRunThatCanNotBeLookedThroughIsLookedThroughByWhoReadsTheLogNext() throws IOException {
    GrantedRun run =
        store.grantedSpace().reserveRun(APPLICATION, LOG, 1, 8L * PoolLayout.CHUNK_BYTES);
    publish(run, new byte[] {3, 1});
    Path file = directory.resolve("logs-0.pool");
    long length = Files.size(file);
    setLength(file, length - 1);

    assertThatThrownBy(run.extent()::giveBack).isInstanceOf(StoreException.class);
    assertThatThrownBy(this::entries).isInstanceOf(StoreException.class);
    setLength(file, length);

    assertThat(entries()).hasSize(1);
    assertThat(entries().get(0).read()).contains(new byte[] {3, 1});
    assertThat(store.usedBy(APPLICATION)).isEqualTo(PoolLayout.CHUNK_BYTES);
  }

  /** Publishes an entry at the front of a run, as its writer elsewhere does. */
  private static void publish(GrantedRun run, byte[] entry) {
    CRC32C crc = new CRC32C();
    crc.update(entry);
    RecordHeader header =
        RecordHeader.of(
            StoreLogs.idOf(IndexKey.hashOf(APPLICATION), LOG, run.firstOrdinal()),
            entry.length,
            run.extent().sequence(),
            (int) crc.getValue());
    Pool pool = run.extent().pool();
    pool.write(run.extent().offset(), header.encode(), 0, RecordLayout.HEADER_BYTES);
    pool.write(run.extent().offset() + RecordLayout.HEADER_BYTES, entry, 0, entry.length);
    pool.memory().putLong(run.extent().wordOffset(), header.publishWord());
  }

  private static void setLength(Path file, long length) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(length);
    }
  }

  private List<LogEntry> entries() {
    return store.logs().entries(APPLICATION, LOG);
  }
}
