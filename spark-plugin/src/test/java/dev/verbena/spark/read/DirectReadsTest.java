// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.spark.metrics.CarrierTotals;
import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.store.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.FetchFailed;
import org.apache.spark.SparkConf;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Test;
import scala.Option;

final class DirectReadsTest {
  private static final BlockManagerId HOLDER =
      BlockManagerId.apply("7", "host-7", 7777, Option.apply("rack"));
  private static final int BLOCKS = 5;

  private final SparkConf conf = new SparkConf(false);
  private final CarrierTotals totals = new CarrierTotals();
  private final TempShuffleReadMetrics metrics = new TempShuffleReadMetrics();
  private final Map<Long, byte[]> blocks = new HashMap<>();
  private final List<Long> unreachable = new ArrayList<>();
  private boolean mayFallBack = true;

  /** Blocks in a map; stands for a store whose bytes a test can change. */
  private final BlockSource source =
      new BlockSource() {
        @Override
        public InputStream open(WantedBlock block) {
          long map = ((ShuffleBlockId) block.id()).mapId();
          if (unreachable.contains(map)) {
            throw new StoreException(StoreException.Code.DISCONNECTED, "gone");
          }
          return new ByteArrayInputStream(blocks.get(map));
        }

        @Override
        public Carrier carrier() {
          return Carrier.MAPPED;
        }

        @Override
        public boolean mayFallBack() {
          return mayFallBack;
        }
      };

  private final BlockStoreClient holders =
      new BlockStoreClient() {
        @Override
        public Cause diagnoseCorruption(
            String host,
            int port,
            String executor,
            int shuffle,
            long map,
            int partition,
            long checksum,
            String algorithm) {
          return Cause.DISK_ISSUE;
        }

        @Override
        public void fetchBlocks(
            String host,
            int port,
            String executor,
            String[] ids,
            BlockFetchingListener listener,
            DownloadFileManager files) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
      };

  private DirectReads reads(boolean relocatable) throws IOException {
    SerializerManager serializers = new SerializerManager(new KryoSerializer(conf), conf);
    List<DirectBlock> wanted = new ArrayList<>();
    for (int map = 0; map < BLOCKS; map++) {
      ShuffleBlockId id = new ShuffleBlockId(3, map, 9);
      if (!blocks.containsKey((long) map)) {
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        try (OutputStream out = serializers.wrapStream(id, encoded)) {
          out.write(plain(map));
        }
        blocks.put((long) map, encoded.toByteArray());
      }
      wanted.add(new DirectBlock(new WantedBlock(id, 1, 100 + map, HOLDER), source));
    }
    ReadPolicy policy = ReadPolicy.of(conf);
    return new DirectReads(
        wanted,
        relocatable,
        policy,
        serializers,
        new CorruptionReport(serializers, holders, policy),
        totals,
        metrics);
  }

  private static byte[] plain(int map) {
    byte[] bytes = new byte[40_000 + map];
    Arrays.fill(bytes, (byte) (map + 1));
    return bytes;
  }

  private static byte[] expected(int... maps) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int map : maps) {
      all.writeBytes(plain(map));
    }
    return all.toByteArray();
  }

  private static byte[] readAll(DirectReads reads) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Optional<InputStream> next = reads.next(); next.isPresent(); next = reads.next()) {
      try (InputStream in = next.get()) {
        in.transferTo(all);
      }
    }
    return all.toByteArray();
  }

  @Test
  void blocksAreReadAsOneStreamOrOneByOneWithTheSameBytesAndCounts() throws IOException {
    for (boolean relocatable : new boolean[] {true, false}) {
      assertThat(readAll(reads(relocatable))).isEqualTo(expected(0, 1, 2, 3, 4));
    }
    long bytes = blocks.values().stream().mapToLong(block -> block.length).sum();
    assertThat(totals.blocks(Carrier.MAPPED)).isEqualTo(2L * BLOCKS);
    assertThat(totals.bytes(Carrier.MAPPED)).isEqualTo(2 * bytes);
    assertThat(metrics.localBlocksFetched()).isEqualTo(2L * BLOCKS);
    assertThat(metrics.localBytesRead()).isEqualTo(2 * bytes);
  }

  @Test
  void aBlockThatCanNotBeOpenedIsLeftToTheFetcher() throws IOException {
    unreachable.add(2L);
    for (boolean relocatable : new boolean[] {true, false}) {
      DirectReads reads = reads(relocatable);
      assertThat(readAll(reads)).isEqualTo(expected(0, 1, 3, 4));
      assertThat(reads.leftovers())
          .extracting(WantedBlock::id)
          .containsExactly(new ShuffleBlockId(3, 2, 9));
    }
    assertThat(totals.fallbacks(FallbackReason.DISCONNECTED)).isEqualTo(2);
  }

  @Test
  void anOwnBlockThatIsMissingIsAFetchFailureWithItsExactPlace() throws IOException {
    mayFallBack = false;
    unreachable.add(3L);
    DirectReads reads = reads(true);
    assertFetchFailed(catchThrowableOfType(FetchFailedException.class, () -> readAll(reads)), 3);
  }

  @Test
  void corruptionIsAFetchFailureOfTheCorruptBlockHoweverBlocksAreRead() throws IOException {
    reads(true);
    byte[] corrupt = blocks.get(2L);
    corrupt[corrupt.length / 3] ^= 0x55;
    for (boolean relocatable : new boolean[] {true, false}) {
      DirectReads reads = reads(relocatable);
      FetchFailedException failure =
          catchThrowableOfType(FetchFailedException.class, () -> readAll(reads));
      assertFetchFailed(failure, 2);
      assertThat(failure).hasMessageContaining("is corrupted due to DISK_ISSUE");
    }
  }

  @Test
  void aHeaderThatLiesAboutItsLengthIsNotBlamedOnTheNextBlock() throws IOException {
    reads(true);
    int compressedLength = 9;
    byte[] block = blocks.get(1L);
    block[compressedLength] = (byte) (block[compressedLength] + 8);
    DirectReads reads = reads(true);
    assertFetchFailed(catchThrowableOfType(FetchFailedException.class, () -> readAll(reads)), 1);
  }

  @Test
  void withDetectionAheadACorruptMappedBlockIsFetchedOnceMore() throws IOException {
    conf.set("spark.shuffle.detectCorrupt.useExtraMemory", "true");
    reads(true);
    byte[] corrupt = blocks.get(4L);
    corrupt[corrupt.length / 3] ^= 0x55;
    DirectReads reads = reads(true);
    assertThat(readAll(reads)).isEqualTo(expected(0, 1, 2, 3));
    assertThat(reads.leftovers()).hasSize(1);
    assertThat(totals.fallbacks(FallbackReason.CORRUPT)).isEqualTo(1);
    assertThat(totals.blocks(Carrier.MAPPED)).as("those that are not corrupt").isEqualTo(4);
  }

  private static void assertFetchFailed(FetchFailedException failure, int map) {
    FetchFailed reason = (FetchFailed) failure.toTaskFailedReason();
    assertThat(reason.bmAddress()).isEqualTo(HOLDER);
    assertThat(reason.shuffleId()).isEqualTo(3);
    assertThat(reason.mapId()).isEqualTo(map);
    assertThat(reason.mapIndex()).isEqualTo(100 + map);
    assertThat(reason.reduceId()).isEqualTo(9);
  }
}
