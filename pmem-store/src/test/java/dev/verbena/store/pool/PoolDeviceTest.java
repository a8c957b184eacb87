// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.MappedMemory;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools on a device, for which a file stands in that is mapped as one. */
class PoolDeviceTest {
  private static final int ALIGNMENT = 2 << 20;
  private static final long SIZE = 3L * ALIGNMENT;
  private static final RecordId ID = new RecordId(1, 2, 3, 4);

  @TempDir Path directory;
  private Path device;
  private int closed;

  /** A file in place of a device. */
  private final class FileSpace implements PoolDevice.Space {
    private final long size;

    FileSpace(long size) {
      this.size = size;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public long alignment() {
      return ALIGNMENT;
    }

    @Override
    public MappedMemory map(long bytes) throws IOException {
      assertThat(bytes % ALIGNMENT).isZero();
      assertThat(bytes).isBetween(1L, size);
      try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
        return MappedMemory.of(file.getChannel().map(MapMode.READ_WRITE, 0, bytes));
      }
    }

    @Override
    public void close() {
      closed++;
    }
  }

  @BeforeEach
  void makeDevice() throws IOException {
    device = directory.resolve("dax0.0");
    try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
      file.setLength(SIZE);
    }
  }

  @Test
  void aPoolIsMadeOnZerosAndFoundAgain() {
    byte[] payload = new byte[50_000];
    payload[49_999] = 7;
    assertThat(place(SIZE).isMade()).isFalse();
    try (Pool pool = open(SIZE, 7)) {
      assertThat(pool.domain()).isEqualTo(DurabilityDomain.POWER);
      assertThat(pool.memory().size()).isEqualTo(SIZE);
      Extent extent = pool.reserve(payload.length, payload.length).orElseThrow();
      pool.write(extent.payloadOffset(), payload, 0, payload.length);
      CRC32C crc = new CRC32C();
      crc.update(payload);
      pool.publish(extent, ID, payload.length, (int) crc.getValue());
    }
    assertThat(closed).isEqualTo(1);
    assertThat(device).exists();
    assertThat(place(SIZE).isMade()).isTrue();
    try (Pool pool = open(SIZE, 3)) {
      assertThat(pool.number()).as("as it was made").isEqualTo(7);
      assertThat(pool.recovered()).hasSize(1);
      assertThat(pool.recovered().get(0).header().id()).isEqualTo(ID);
    }
  }

  @Test
  void theSizeOfAPoolThatIsThereStays() {
    open(ALIGNMENT, 0).close();
    try (Pool pool = open(SIZE, 0)) {
      assertThat(pool.memory().size()).isEqualTo(ALIGNMENT);
    }
  }

  @Test
  void aSizeOffTheDevicesAlignmentOrBeyondItIsRefusedWithWhatIsExpected() {
    for (long wrong : new long[] {ALIGNMENT + 4096, PoolOptions.MIN_SIZE, SIZE + ALIGNMENT}) {
      assertRefused(StoreException.Code.INVALID_ARGUMENT, place(wrong))
          .hasMessage(
              "pool "
                  + device
                  + ": size is "
                  + wrong
                  + ", expected a multiple of the device's alignment of 2097152 and at most its"
                  + " 6291456 bytes");
    }
    assertThat(place(SIZE).isMade()).isFalse();
  }

  @Test
  void aPoolOfALargerDeviceIsRefused() {
    open(SIZE, 0).close();
    assertRefused(
            StoreException.Code.POOL_INVALID,
            new PoolDevice(options(ALIGNMENT), new FileSpace(2L * ALIGNMENT)))
        .hasMessageContaining("size is " + SIZE)
        .hasMessageContaining("at most its 4194304 bytes");
  }

  @Test
  void whatBeginsOtherwiseIsRefusedAndStays() throws IOException {
    write(0, "LUKS");
    byte[] before = Files.readAllBytes(device);
    assertRefused(StoreException.Code.POOL_INVALID, place(SIZE))
        .hasMessageContaining(device.toString())
        .hasMessageContaining("magic is 0x")
        .hasMessageContaining("is it a pool?");
    assertThat(Files.readAllBytes(device)).isEqualTo(before);
  }

  @Test
  void aFileSystemThatBeginsWithZerosIsRefusedAndStays() throws IOException {
    int magicOfExt4 = 1024 + 56;
    write(magicOfExt4, "S");
    byte[] before = Files.readAllBytes(device);
    assertRefused(StoreException.Code.POOL_INVALID, place(SIZE))
        .hasMessageContaining("byte 1080 is 83, expected 0 where no pool is")
        .hasMessageContaining("zero it");
    assertThat(Files.readAllBytes(device)).isEqualTo(before);
  }

  @Test
  void aPoolThatLostItsHeaderIsRefusedForWhatStandsBehindIt() throws IOException {
    open(SIZE, 0).close();
    try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
      file.write(new byte[PoolLayout.HEADER_BYTES]);
    }
    assertRefused(StoreException.Code.POOL_INVALID, place(SIZE))
        .hasMessageContaining("something else is on the device");
  }

  @Test
  void aMakingThatWasCutShortIsTakenUpAgain() throws IOException {
    byte[] header = new PoolHeader(SIZE, 1, false, 2, 3).encode();
    try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
      file.seek(Long.BYTES);
      file.write(header, Long.BYTES, header.length - Long.BYTES);
    }
    assertThat(place(SIZE).isMade()).isFalse();
    try (Pool pool = open(2L * ALIGNMENT, 5)) {
      assertThat(pool.number()).isEqualTo(5);
      assertThat(pool.memory().size()).isEqualTo(2L * ALIGNMENT);
    }
  }

  @Test
  void aDeviceDoesNotEndWithItsOwner() {
    assertThatThrownBy(
            () -> new PoolOptions(PoolKind.DEVDAX, device, SIZE, DurabilityDomain.POWER, true))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("ephemeral is true, expected false");
    assertThatThrownBy(
            () ->
                new TierOptions(
                    PoolKind.DEVDAX, device, SIZE, SIZE, DurabilityDomain.POWER, true, ""))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("ephemeral is true, expected false");
  }

  private void write(long at, String text) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
      file.seek(at);
      file.writeBytes(text);
    }
  }

  private PoolOptions options(long size) {
    return PoolOptions.device(device, size);
  }

  private PoolDevice place(long poolSize) {
    return new PoolDevice(options(poolSize), new FileSpace(SIZE));
  }

  private Pool open(long poolSize, int number) {
    PoolDevice place = place(poolSize);
    return Pool.open(options(poolSize), place, place.map(number));
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      StoreException.Code code, PoolDevice place) {
    return assertThatThrownBy(() -> place.map(0))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }
}
