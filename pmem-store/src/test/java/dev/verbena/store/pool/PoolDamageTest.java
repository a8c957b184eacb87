// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that went bad, and bytes that somebody made up. */
class PoolDamageTest {
  private static final long SIZE = 1 << 20;
  private static final RecordId ID = new RecordId(1, 2, 3, 4);
  private static final byte[] PAYLOAD = new byte[5_000];

  @TempDir Path directory;

  private PoolOptions options;

  @BeforeEach
  void choose() {
    options = PoolOptions.memory(directory.resolve("p-0.pool"), SIZE).kept();
  }

  @Test
  void noByteOfAHeaderCanBeAnother() throws IOException {
    try (Pool pool = Pool.open(options)) {
      publish(pool);
    }
    byte[] good = Files.readAllBytes(options.path());
    for (int at = 0; at < PoolLayout.HEADER_BYTES; at++) {
      for (int flip : new int[] {0x01, 0x80, 0xff}) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) flip;
        Files.write(options.path(), bad);
        assertRefused("byte " + at);
        assertThat(PoolSweeper.sweep(directory)).isEmpty();
        assertThat(Files.readAllBytes(options.path())).isEqualTo(bad);
      }
    }
    Files.write(options.path(), good);
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.recovered()).hasSize(1);
    }
  }

  @Test
  void sizesThatContradictEachOtherAreRefusedEvenIfTheChecksumIsRight() {
    Pool.open(options).close();
    for (int at :
        new int[] {
          PoolLayout.SIZE_AT,
          PoolLayout.CHUNK_COUNT_AT,
          PoolLayout.WORD_TABLE_AT,
          PoolLayout.CHUNKS_AT
        }) {
      for (long value : new long[] {0, -1, 1, SIZE + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
        long before = patch(at, value);
        assertRefused("word " + at + " is " + value);
        patch(at, before);
      }
    }
    Pool.open(options).close();
  }

  @Test
  void aPoolThatLostItsMagicIsKeptIfRecordsStandInIt() throws IOException {
    try (Pool pool = Pool.open(options)) {
      publish(pool);
    }
    byte[] bytes = Files.readAllBytes(options.path());
    Arrays.fill(bytes, 0, PoolLayout.HEADER_BYTES, (byte) 0);
    Files.write(options.path(), bytes);

    TierOptions tier = TierOptions.memory(directory.resolve("p"), SIZE, SIZE).kept();
    assertThatThrownBy(() -> new PoolSet(List.of(tier)))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.POOL_INVALID));
    assertThat(Files.readAllBytes(options.path())).isEqualTo(bytes);
  }

  @Test
  void aPoolWhoseMakingWasCutShortIsMadeAnewWithoutItsLockFile() throws IOException {
    Pool.open(options).close();
    byte[] bytes = Files.readAllBytes(options.path());
    Arrays.fill(bytes, PoolLayout.MAGIC_AT, PoolLayout.MAGIC_AT + Long.BYTES, (byte) 0);
    Files.write(options.path(), bytes);

    TierOptions tier = TierOptions.memory(directory.resolve("p"), SIZE, SIZE).kept();
    try (PoolSet pools = new PoolSet(List.of(tier))) {
      assertThat(pools.pools()).hasSize(1);
    }
  }

  @Test
  void aRecordIsDroppedForAnyByteOfItsHeaderOrItsWord() throws IOException {
    int headers = RecordLayout.HEADER_BYTES;
    long[] places = new long[headers + PoolLayout.WORD_BYTES];
    try (Pool pool = Pool.open(options)) {
      publish(pool);
      for (int i = 0; i < places.length; i++) {
        Extent extent = publish(pool);
        places[i] = i < headers ? extent.offset() + i : extent.wordOffset() + i - headers;
      }
    }
    byte[] bytes = Files.readAllBytes(options.path());
    for (long place : places) {
      bytes[(int) place] ^= 0x10;
    }
    Files.write(options.path(), bytes);

    try (Pool pool = Pool.open(options)) {
      assertThat(pool.recovered()).hasSize(1);
      assertThat(pool.usage().used()).isEqualTo(2 * PoolLayout.CHUNK_BYTES);
      assertThat(pool.reserve(pool.usage().size() / 2, pool.usage().size())).isPresent();
    }
  }

  @Test
  void lengthsThatLeaveTheirExtentOrThePoolAreDroppedEvenIfEveryChecksumIsRight() {
    try (Pool pool = Pool.open(options)) {
      int last = pool.chunkCount() - 1;
      forge(pool, 0, -1, 1);
      forge(pool, 2, 0, 0);
      forge(pool, 4, 0, -1);
      forge(pool, 6, PoolLayout.CHUNK_BYTES, 1);
      forge(pool, 8, Long.MAX_VALUE, 1);
      forge(pool, 10, 10, Integer.MAX_VALUE);
      forge(pool, 12, 10, 2); // Over the next one.
      forge(pool, 13, 10, 1);
      forge(pool, last, 10, 2);
    }
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.recovered()).hasSize(1);
      assertThat(pool.recovered().get(0).extent().offset()).isEqualTo(pool.chunkOffset(13));
    }
  }

  @Test
  void whateverTheSequenceMarkSaysTheRecordsAreThereAndSequencesRise() {
    long highest = 0;
    for (long mark : new long[] {0, -1, 1, 1L << 32, Long.MIN_VALUE, Long.MAX_VALUE >>> 1}) {
      try (Pool pool = Pool.open(options)) {
        long sequence = sequence(pool, publish(pool));
        assertThat(sequence).isGreaterThan(highest);
        highest = sequence;
      }
      patchPlain(PoolLayout.SEQUENCE_MARK_AT, mark);
    }
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.recovered()).hasSize(6);
    }
  }

  private void assertRefused(String what) {
    assertThatThrownBy(() -> Pool.open(options))
        .as(what)
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).as(what).isEqualTo(StoreException.Code.POOL_INVALID))
        .hasMessageContaining(options.path().toString())
        .hasMessageContaining("expected");
  }

  /** Changes a word of the header, and its checksum. */
  private long patch(int at, long value) {
    try (MappedMemory file = MemoryMapper.open(options.path())) {
      long before = file.getLong(at);
      file.putLong(at, value);
      byte[] header = new byte[PoolLayout.HEADER_BYTES];
      file.get(0, header, 0, header.length);
      file.putInt(PoolLayout.CRC_AT, PoolLayout.headerCrc(header));
      return before;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void patchPlain(int at, long value) {
    try (MappedMemory file = MemoryMapper.open(options.path())) {
      file.putLong(at, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long sequence(Pool pool, Extent extent) {
    byte[] header = new byte[RecordLayout.HEADER_BYTES];
    pool.read(extent.offset(), header, 0, header.length);
    return ByteBuffer.wrap(header).order(ByteOrder.nativeOrder()).getLong(RecordLayout.SEQUENCE_AT);
  }

  private static void forge(Pool pool, int chunk, long payloadBytes, int chunks) {
    RecordHeader header = new RecordHeader(ID, payloadBytes, 1 + chunk, crc(new byte[10]), chunks);
    byte[] bytes = header.encode();
    pool.write(pool.chunkOffset(chunk), bytes, 0, bytes.length);
    pool.memory().putLong(pool.wordOffset(chunk), header.publishWord());
  }

  private static Extent publish(Pool pool) {
    Extent extent = pool.reserve(PAYLOAD.length, PAYLOAD.length).orElseThrow();
    pool.write(extent.payloadOffset(), PAYLOAD, 0, PAYLOAD.length);
    pool.publish(extent, ID, PAYLOAD.length, crc(PAYLOAD));
    return extent;
  }

  private static int crc(byte[] payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload, 0, payload.length);
    return (int) crc.getValue();
  }
}
