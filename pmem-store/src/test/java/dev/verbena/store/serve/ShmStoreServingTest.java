// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import static dev.verbena.store.serve.ServingChild.block;
import static dev.verbena.store.serve.ServingChild.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.LateFault;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShmStoreServingTest extends StoreServingContract {
  @Override
  boolean tcpOnly() {
    return false;
  }

  @Override
  String carrier() {
    return "shm";
  }

  @Test
  void aBlockOnTheSameHostIsReadFromTheMapping() throws IOException {
    child().write(0, 2, 2, 9 * MIB + 3);
    for (int p = 0; p < 2; p++) {
      try (InputStream in =
          client().openMapped(child().endpoint(), new BlockRange(key(1), p, p + 1)).orElseThrow()) {
        assertThat(in.available()).isEqualTo(9 * MIB + 3);
        assertThat(in.readAllBytes()).isEqualTo(block(1, p, 9 * MIB + 3));
        assertThat(in.read()).isNegative();
      }
    }
    assertThat(client().counts().of("mapped"))
        .isEqualTo(new CarrierCounts.Count(2, 2L * (9 * MIB + 3)));
    assertThat(client().counts().of("shm").bytes()).isZero();
  }

  @Test
  void aMappedBlockThatIsRemovedWhileItIsReadFailsAndNeverShowsOtherBytes() throws IOException {
    child().write(0, 1, 1, 4 * MIB);
    try (InputStream in = client().openMapped(child().endpoint(), range(0)).orElseThrow()) {
      assertThat(in.readNBytes(MIB)).isEqualTo(pattern(ServingChild.seed(0, 0), MIB));
      child().removeAll();
      child().write(1, 2, 1, 4 * MIB);
      assertThatThrownBy(in::readAllBytes)
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.NOT_FOUND));
    }
  }

  @Test
  void aMappedBlockIsReadOnWhenTheConnectionThatItSharesEnds() throws IOException {
    child().write(0, 1, 1, 4 * MIB);
    try (InputStream in = client().openMapped(child().endpoint(), range(0)).orElseThrow()) {
      byte[] whole = new byte[4 * MIB];
      for (int done = 0; done < whole.length; done += MIB) {
        Peer peer = client().peer(child().endpoint());
        client().forget(child().endpoint());
        Await.until("the end of the connection", () -> !peer.isOpen());
        assertThat(in.readNBytes(whole, done, MIB)).isEqualTo(MIB);
      }
      assertThat(whole).isEqualTo(block(0, 0, 4 * MIB));
      assertThat(in.read()).isNegative();
    }
    assertThat(client().counts().of("mapped")).isEqualTo(new CarrierCounts.Count(1, 4 * MIB));
  }

  @Test
  void aPoolThatIsTruncatedUnderAMappedReaderIsItsFailureAndNothingElse() throws IOException {
    child().write(0, 1, 1, 4 * MIB);
    try (InputStream in = client().openMapped(child().endpoint(), range(0)).orElseThrow()) {
      assertThat(in.readNBytes(MIB)).isEqualTo(pattern(ServingChild.seed(0, 0), MIB));
      try (RandomAccessFile pool =
          new RandomAccessFile(directory().resolve("child-0.pool").toFile(), "rw")) {
        pool.setLength(2 * MIB + 5);
      }
      assertThatThrownBy(in::readAllBytes)
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.DISCONNECTED))
          .hasStackTraceContaining("truncated");
      assertThat(LateFault.collect()).isFalse();
    }
  }

  @Test
  void fetchedBlocksOfAPoolThatIsTruncatedFailAndNoneIsMadeUp() throws IOException {
    child().write(0, 6, 1, MIB);
    List<BlockRange> ranges = List.of(range(0), range(1), range(2), range(3), range(4), range(5));
    assertThat(fetch(ranges).failures).isEmpty();
    try (RandomAccessFile pool =
        new RandomAccessFile(directory().resolve("child-0.pool").toFile(), "rw")) {
      pool.setLength(2 * MIB + 5);
    }
    for (int round = 0; round < 3; round++) {
      Collected told = fetch(ranges);
      assertThat(told.failures).isNotEmpty();
      told.blocks.forEach(
          (range, bytes) ->
              assertThat(bytes).isEqualTo(block(range.output().mapAttempt(), 0, MIB)));
      assertThat(LateFault.collect()).isFalse();
    }
    Await.until("all buffers", () -> client().buffers().isIdle());
  }

  @Test
  void aSecondOwnerOfThePeersPoolIsToldWhoHoldsIt() {
    TierOptions tier = TierOptions.memory(directory().resolve("child"), 8 * MIB, 8 * MIB);
    assertThatThrownBy(() -> LocalBlockStore.open(StoreOptions.of(tier)))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_OWNED))
        .hasMessageContaining("child-0.pool")
        .hasMessageMatching("(?s).* process \\d+, .*");
    child().write(0, 1, 1, 10);
    assertThat(fetch(List.of(range(0))).failures).isEmpty();
  }

  @Test
  void aMappedBlockOfAKilledPeerFailsOrIsWhole() throws IOException {
    child().write(0, 1, 1, 4 * MIB);
    try (InputStream in = client().openMapped(child().endpoint(), range(0)).orElseThrow()) {
      child().kill();
      byte[] read;
      try {
        read = in.readAllBytes();
      } catch (StoreException e) {
        assertThat(e.code()).isIn(StoreException.Code.DISCONNECTED, StoreException.Code.REJECTED);
        return;
      }
      assertThat(read).isEqualTo(block(0, 0, 4 * MIB));
    }
  }
}
