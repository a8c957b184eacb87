// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.MIB;
import static dev.verbena.store.local.StoreFixture.bytes;
import static dev.verbena.store.local.StoreFixture.concat;
import static dev.verbena.store.local.StoreFixture.key;
import static dev.verbena.store.local.StoreFixture.memory;
import static dev.verbena.store.local.StoreFixture.options;
import static dev.verbena.store.local.StoreFixture.read;
import static dev.verbena.store.local.StoreFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapOutputWriterTest {
  @TempDir Path directory;

  private LocalBlockStore store;
  private long usedWhenEmpty;

  @BeforeEach
  void open() {
    store = LocalBlockStore.open(options(memory(directory, 32 * MIB)));
    usedWhenEmpty = store.usage().used();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void whatWasAppendedIsReadBackByPartition() {
    byte[][] blocks = {bytes(10, 1), {}, bytes(70_000, 2), {}, bytes(1, 3)};
    write(store, key(1), blocks);

    try (StoredMapOutput output = store.find(key(1)).orElseThrow()) {
      assertThat(output.partitionLengths()).containsExactly(10, 0, 70_000, 0, 1);
      assertThat(output.rangeLength(0, 5)).isEqualTo(70_011);
    }
    for (int p = 0; p < blocks.length; p++) {
      assertThat(read(store, key(1), p, p + 1)).isEqualTo(blocks[p]);
    }
    assertThat(read(store, key(1), 0, 5)).isEqualTo(concat(blocks));
    assertThat(read(store, key(1), 1, 3)).isEqualTo(blocks[2]);
  }

  @Test
  void aBlockMaySpanManySegments() {
    byte[] before = bytes(3, 1);
    byte[] large = bytes((int) (11 * MIB + 17), 2);
    byte[] after = bytes(5, 3);
    write(store, key(1), before, large, after);

    assertThat(read(store, key(1), 1, 2)).isEqualTo(large);
    assertThat(read(store, key(1), 0, 3)).isEqualTo(concat(before, large, after));
    try (StoredMapOutput output = store.find(key(1)).orElseThrow()) {
      ByteBuffer target = ByteBuffer.allocate((int) (2 * MIB));
      output.read(1, 2, MIB - 7, target, 5, (int) MIB);
      assertThat(target.array())
          .startsWith(0, 0, 0, 0, 0)
          .containsSequence(java.util.Arrays.copyOfRange(large, (int) MIB - 7, (int) MIB + 100));
      assertThatThrownBy(() -> output.read(1, 2, large.length - 1, target, 0, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void streamsAndDirectBuffersAppendToo() throws IOException {
    byte[] first = bytes(200_000, 1);
    byte[] second = bytes(200_000, 2);
    try (MapOutputWriter writer = store.openMapOutput(key(1), 2)) {
      try (OutputStream out = writer.streamTo(0)) {
        out.write(first[0]);
        out.write(first, 1, first.length - 1);
      }
      ByteBuffer direct = ByteBuffer.allocateDirect(second.length).put(second).flip();
      writer.append(1, direct);
      assertThat(direct.hasRemaining()).isFalse();
      assertThat(writer.partitionLength(1)).isEqualTo(second.length);
      writer.commit(new long[0]);
    }

    assertThat(read(store, key(1), 0, 1)).isEqualTo(first);
    assertThat(read(store, key(1), 1, 2)).isEqualTo(second);
  }

  @Test
  void roundsAddToTheirPartitionsInOrder() {
    List<byte[]> shares = new ArrayList<>();
    int partitions = 5;
    try (MapOutputWriter writer = store.openMapOutput(key(1), partitions)) {
      for (int round = 0; round < 3; round++) {
        writer.startRound();
        for (int p = 0; p < partitions; p++) {
          byte[] share = bytes(p == round ? 0 : 1_000 * (p + 1), 10 * round + p);
          writer.append(p, share, 0, share.length);
          shares.add(share);
        }
      }
      writer.startRound();
      writer.append(2, bytes(9, 99), 0, 9);
      writer.commit(new long[0]);
    }

    assertThat(read(store, key(1), 1, 2))
        .isEqualTo(concat(shares.get(1), shares.get(6), shares.get(11)));
    assertThat(read(store, key(1), 2, 3))
        .isEqualTo(concat(shares.get(2), shares.get(7), shares.get(12), bytes(9, 99)));
    assertThat(read(store, key(1), 3, 5))
        .as("share by share")
        .isEqualTo(
            concat(
                shares.get(3),
                shares.get(4),
                shares.get(8),
                shares.get(9),
                shares.get(13),
                shares.get(14)));
  }

  @Test
  void partitionsMustAscendWithinARound() {
    try (MapOutputWriter writer = store.openMapOutput(key(1), 3)) {
      writer.append(1, new byte[1], 0, 1);
      assertThatThrownBy(() -> writer.append(0, new byte[1], 0, 1))
          .hasMessageContaining("append to partition 0 after partition 1");
      assertThatThrownBy(() -> writer.append(3, new byte[1], 0, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void checksumsAreReadBackAsGiven() {
    try (MapOutputWriter writer = store.openMapOutput(key(1), 2)) {
      assertThatThrownBy(() -> writer.commit(new long[] {1}))
          .hasMessageContaining("1 checksums, expected 0 or 2");
      writer.commit(new long[] {7, -1});
    }
    write(store, key(2), new byte[1], new byte[2]);

    try (StoredMapOutput with = store.find(key(1)).orElseThrow();
        StoredMapOutput without = store.find(key(2)).orElseThrow()) {
      assertThat(with.checksums()).containsExactly(7, -1);
      assertThat(without.checksums()).isEmpty();
    }
  }

  @Test
  void anOutputWithoutAnyByteCanBeCommitted() {
    write(store, key(1), new byte[0], new byte[0]);

    assertThat(read(store, key(1), 0, 2)).isEmpty();
  }

  @Test
  void theFirstCommitOfAKeyWinsAndTheSecondIsToldWhatWasKept() {
    try (MapOutputWriter first = store.openMapOutput(key(1), 1);
        MapOutputWriter second = store.openMapOutput(key(1), 1)) {
      first.append(0, bytes(10, 1), 0, 10);
      second.append(0, bytes(20, 2), 0, 20);
      MapOutputCommit won = first.commit(new long[0]);
      long used = store.usage().used();
      MapOutputCommit lost = second.commit(new long[0]);

      assertThat(won.first()).isTrue();
      assertThat(won.partitionLengths()).containsExactly(10);
      assertThat(lost.first()).isFalse();
      assertThat(lost.partitionLengths()).containsExactly(10);
      assertThat(store.usage().used()).isLessThan(used);
    }
    assertThat(read(store, key(1), 0, 1)).isEqualTo(bytes(10, 1));
    assertThat(store.usage().mapOutputs()).isEqualTo(1);
  }

  @Test
  void nothingIsVisibleBeforeCommitAndAnAbortGivesAllBack() {
    try (MapOutputWriter writer = store.openMapOutput(key(1), 2)) {
      writer.append(0, bytes((int) (5 * MIB), 1), 0, (int) (5 * MIB));
      assertThat(store.find(key(1))).isEmpty();
      assertThat(store.usage().used()).isGreaterThan(5 * MIB);
      writer.abort();
      assertThatThrownBy(() -> writer.append(0, new byte[1], 0, 1))
          .isInstanceOf(StoreException.class);
    }
    assertThat(store.find(key(1))).isEmpty();
    assertThat(store.usage().used()).isEqualTo(usedWhenEmpty);
  }

  @Test
  void aFullPoolWithoutOverflowIsOneClearError() {
    byte[] step = bytes((int) MIB, 1);
    try (MapOutputWriter writer = store.openMapOutput(key(1), 1)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 40; i++) {
                  writer.append(0, step, 0, step.length);
                }
              })
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_FULL))
          .hasMessageContaining("every pool is full: [MEMORY " + directory.resolve("m"))
          .hasMessageContaining("33554432");
      assertThatThrownBy(() -> writer.commit(new long[0]))
          .hasMessageContaining("can only be aborted");
    }
    assertThat(store.usage().used()).isEqualTo(usedWhenEmpty);
    write(store, key(2), step);
    assertThat(read(store, key(2), 0, 1)).isEqualTo(step);
  }

  @Test
  void theErrorOfAFullPoolNamesWhatBoundsIt() {
    TierOptions tier = TierOptions.memory(directory.resolve("b"), MIB, MIB).boundBy("the.key");
    try (LocalBlockStore bounded = LocalBlockStore.open(StoreOptions.of(tier));
        MapOutputWriter writer = bounded.openMapOutput(key(1), 1)) {
      byte[] step = bytes((int) MIB, 1);
      assertThatThrownBy(
              () -> {
                writer.append(0, step, 0, step.length);
                writer.append(0, step, 0, step.length);
              })
          .hasMessageContaining("of at most " + MIB + " bytes made, bounded by the.key");
    }
  }
}
