// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.MIB;
import static dev.verbena.store.local.StoreFixture.bytes;
import static dev.verbena.store.local.StoreFixture.key;
import static dev.verbena.store.local.StoreFixture.memory;
import static dev.verbena.store.local.StoreFixture.options;
import static dev.verbena.store.local.StoreFixture.read;
import static dev.verbena.store.local.StoreFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.LateFault;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalBlockStoreTest {
  @TempDir Path directory;

  @Test
  void removalByOutputShuffleAndApplicationGivesAllSpaceBack() {
    try (LocalBlockStore store = LocalBlockStore.open(options(memory(directory, 8 * MIB)))) {
      final long empty = store.usage().used();
      for (String application : List.of("a", "b")) {
        for (int shuffle = 0; shuffle < 3; shuffle++) {
          for (int attempt = 0; attempt < 4; attempt++) {
            write(store, new MapOutputKey(application, shuffle, attempt), bytes(5_000, attempt));
          }
        }
      }
      assertThat(store.usage().mapOutputs()).isEqualTo(24);
      assertThat(store.usage().blockBytes()).isEqualTo(24 * 5_000);
      assertThat(store.removeMapOutput(new MapOutputKey("a", 0, 0))).isTrue();
      assertThat(store.removeMapOutput(new MapOutputKey("a", 0, 0))).isFalse();
      assertThat(store.find(new MapOutputKey("a", 0, 0))).isEmpty();
      assertThat(store.removeShuffle("a", 0)).isEqualTo(3);
      assertThat(store.removeShuffle("a", 0)).isZero();
      assertThat(store.mapOutputs("a")).hasSize(8);
      assertThat(store.removeApplication("a")).isEqualTo(8);
      assertThat(store.removeApplication("b")).isEqualTo(12);
      assertThat(store.mapOutputs("b")).isEmpty();
      assertThat(store.usage().used()).isEqualTo(empty);
      assertThat(store.usage().blockBytes()).isZero();
    }
  }

  @Test
  void aReaderKeepsItsBytesWhenTheOutputIsRemovedAndTheSpaceReturnsAfterIt() throws IOException {
    try (LocalBlockStore store = LocalBlockStore.open(options(memory(directory, 8 * MIB)))) {
      final long empty = store.usage().used();
      byte[] block = bytes((int) (2 * MIB), 1);
      write(store, key(1), block);
      StoredMapOutput output = store.find(key(1)).orElseThrow();
      InputStream in = output.open(0, 1);
      output.close();
      store.removeShuffle("app-1", 3);
      assertThat(store.find(key(1))).isEmpty();
      write(store, key(2), bytes((int) (3 * MIB), 2));
      assertThat(in.readAllBytes()).isEqualTo(block);
      store.removeShuffle("app-1", 3);
      assertThat(store.usage().used()).as("the stream let go at its end").isEqualTo(empty);
      assertThatThrownBy(() -> output.rangeLength(0, 1)).isInstanceOf(StoreException.class);
    }
  }

  @Test
  void aFullFirstTierOverflowsIntoFiles() {
    TierOptions files = TierOptions.file(directory.resolve("files/f"), 2 * MIB, 6 * MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(memory(directory, 2 * MIB), files))) {
      for (int i = 0; i < 5; i++) {
        write(store, key(i), bytes((int) MIB, i));
      }
      assertThat(store.usage().overflowed()).isTrue();
      assertThat(store.usage().pools()).hasSizeGreaterThan(2);
      for (int i = 0; i < 5; i++) {
        assertThat(read(store, key(i), 0, 1)).isEqualTo(bytes((int) MIB, i));
      }
      try (MapOutputWriter writer = store.openMapOutput(key(9), 1)) {
        assertThatThrownBy(() -> writer.append(0, new byte[(int) (4 * MIB)], 0, (int) (4 * MIB)))
            .hasMessageContaining("MEMORY " + directory.resolve("m"))
            .hasMessageContaining("FILE " + directory.resolve("files/f"))
            .hasMessageContaining("of at most 6291456 bytes");
      }
    }
    assertThat(directory.resolve("files")).isEmptyDirectory();
  }

  @Test
  void aTierGrowsByPoolsOnlyWhenNeeded() {
    TierOptions growing = TierOptions.memory(directory.resolve("m"), MIB, 4 * MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(growing))) {
      assertThat(store.usage().pools()).hasSize(1);
      write(store, key(1), bytes((int) (3 * MIB), 1));
      assertThat(store.usage().pools()).hasSize(4);
      assertThat(store.usage().overflowed()).isFalse();
      assertThat(read(store, key(1), 0, 1)).isEqualTo(bytes((int) (3 * MIB), 1));
    }
  }

  @Test
  void committedOutputsAreThereAfterReopeningAndOthersLeaveNoTrace() throws IOException {
    TierOptions kept = memory(directory, 16 * MIB).kept();
    Path crashed = directory.resolve("crashed");
    Files.createDirectory(crashed);
    long used;
    try (LocalBlockStore store = LocalBlockStore.open(options(kept))) {
      for (int i = 0; i < 20; i++) {
        write(store, key(i), bytes(30_000 + i, i), bytes(i, i));
      }
      store.removeMapOutput(key(19));
      used = store.usage().used();
      try (MapOutputWriter writer = store.openMapOutput(key(100), 1)) {
        writer.append(0, bytes((int) (3 * MIB), 1), 0, (int) (3 * MIB));
        Files.copy(directory.resolve("m-0.pool"), crashed.resolve("m-0.pool"));
      }
    }

    for (Path where : List.of(directory, crashed)) {
      try (LocalBlockStore store = LocalBlockStore.open(options(memory(where, 16 * MIB).kept()))) {
        assertThat(store.usage().mapOutputs()).isEqualTo(19);
        assertThat(store.usage().used()).isEqualTo(used);
        assertThat(store.find(key(100))).isEmpty();
        assertThat(store.find(key(19))).isEmpty();
        for (int i = 0; i < 19; i++) {
          assertThat(read(store, key(i), 0, 1)).isEqualTo(bytes(30_000 + i, i));
          assertThat(read(store, key(i), 1, 2)).isEqualTo(bytes(i, i));
        }
        write(store, key(200), bytes(100, 1));
      }
    }
  }

  @Test
  void outputsThatSpanPoolsAreRecoveredAndOneWithAMissingPoolIsDropped() throws IOException {
    TierOptions kept = TierOptions.memory(directory.resolve("m"), MIB, 8 * MIB).kept();
    byte[] large = bytes((int) (3 * MIB), 1);
    long empty;
    try (LocalBlockStore store = LocalBlockStore.open(options(kept))) {
      empty = store.usage().used();
      write(store, key(1), large);
    }
    try (LocalBlockStore store = LocalBlockStore.open(options(kept))) {
      assertThat(read(store, key(1), 0, 1)).isEqualTo(large);
    }
    Files.delete(directory.resolve("m-2.pool"));
    try (LocalBlockStore store = LocalBlockStore.open(options(kept))) {
      assertThat(store.find(key(1))).isEmpty();
      assertThat(store.usage().used()).isEqualTo(empty);
    }
  }

  @Test
  void aSegmentThatIsDamagedOnDiskTakesItsOutputWithItAndNoOther() throws IOException {
    TierOptions kept = memory(directory, 4 * MIB).kept();
    byte[] marked = bytes(9_000, 77);
    try (LocalBlockStore store = LocalBlockStore.open(options(kept))) {
      write(store, key(1), bytes(9_000, 1));
      write(store, key(2), marked);
    }
    damage(directory.resolve("m-0.pool"), marked);
    try (LocalBlockStore store = LocalBlockStore.open(options(kept))) {
      assertThat(store.find(key(2))).isEmpty();
      assertThat(read(store, key(1), 0, 1)).isEqualTo(bytes(9_000, 1));
    }
  }

  @Test
  void damageUnderALiveStoreIsSeenWhenReadsAreVerified() throws IOException {
    byte[] marked = bytes(9_000, 77);
    try (LocalBlockStore store =
        LocalBlockStore.open(options(memory(directory, 4 * MIB)).withVerifyReads(true))) {
      write(store, key(1), bytes(9_000, 1));
      write(store, key(2), marked);
      damage(directory.resolve("m-0.pool"), marked);
      assertThat(read(store, key(1), 0, 1)).isEqualTo(bytes(9_000, 1));
      assertThatThrownBy(() -> read(store, key(2), 0, 1))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.CORRUPT))
          .hasMessageContaining("segment 0");
    }
  }

  @Test
  void aMappingThatWasTruncatedIsAnErrorAndNotTheEndOfTheJvm() throws IOException {
    TierOptions large = memory(directory, 16 * MIB);
    LocalBlockStore store =
        LocalBlockStore.open(options(large).withCloseDeadline(Duration.ofMillis(50)));
    write(store, key(1), bytes((int) (8 * MIB), 1));
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve("m-0.pool").toFile(), "rw")) {
      file.setLength(MIB);
    }
    assertThatThrownBy(() -> read(store, key(1), 0, 1))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_INVALID))
        .hasMessageContaining("m-0.pool was truncated");
    assertThat(LateFault.collect()).isFalse();
    store.close();
  }

  @Test
  void twoStoresCanNotShareAPool() {
    TierOptions tier = memory(directory, MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(tier))) {
      assertThatThrownBy(() -> LocalBlockStore.open(options(tier)))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_OWNED));
      write(store, key(1), bytes(100, 1));
    }
  }

  @Test
  void closingWaitsForReadersUpToItsDeadlineAndThenLeavesTheirMapping() {
    LocalBlockStore store =
        LocalBlockStore.open(
            options(memory(directory, MIB)).withCloseDeadline(Duration.ofMillis(50)));
    write(store, key(1), bytes(1_000, 1));
    try (StoredMapOutput output = store.find(key(1)).orElseThrow()) {
      store.close();
      assertThat(output.rangeLength(0, 1)).isEqualTo(1_000);
      ByteBuffer target = ByteBuffer.allocate(1_000);
      output.read(0, 1, 0, target, 0, 1_000);
      assertThat(target.array()).isEqualTo(bytes(1_000, 1));
    }
    assertThat(directory).isEmptyDirectory();
    assertThatThrownBy(() -> store.find(key(1)))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.CLOSED));
    store.close();
  }

  @Test
  void thousandsOfOutputsAreFoundAndGone() {
    try (LocalBlockStore store = LocalBlockStore.open(options(memory(directory, 64 * MIB)))) {
      final long empty = store.usage().used();
      for (int i = 0; i < 3_000; i++) {
        write(store, key(i), bytes(20, i));
      }
      for (int i = 0; i < 3_000; i += 7) {
        assertThat(read(store, key(i), 0, 1)).isEqualTo(bytes(20, i));
      }
      assertThat(store.removeShuffle("app-1", 3)).isEqualTo(3_000);
      assertThat(store.usage().used() - empty)
          .as("only the index is larger than at first")
          .isLessThan(MIB);
    }
  }

  private static void damage(Path pool, byte[] marked) throws IOException {
    byte[] file = Files.readAllBytes(pool);
    int at = indexOf(file, marked);
    assertThat(at).isPositive();
    try (RandomAccessFile access = new RandomAccessFile(pool.toFile(), "rw")) {
      access.seek(at + 4_321);
      access.write(~marked[4_321]);
    }
  }

  private static int indexOf(byte[] all, byte[] part) {
    for (int at = 0; at + part.length <= all.length; at++) {
      if (Arrays.equals(all, at, at + part.length, part, 0, part.length)) {
        return at;
      }
    }
    return -1;
  }
}
