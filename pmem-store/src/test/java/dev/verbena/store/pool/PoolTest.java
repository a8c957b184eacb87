// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

class PoolTest {
  private static final long SIZE = 1 << 20;
  private static final RecordId ID = new RecordId(1, 2, 3, 4);

  @TempDir Path directory;

  @Test
  void aPublishedRecordIsThereAfterReopening() {
    byte[] payload = bytes(10_000);
    try (Pool pool = Pool.open(kept("a.pool"))) {
      publish(pool, payload);
    }
    try (Pool pool = Pool.open(kept("a.pool"))) {
      assertThat(pool.recovered()).hasSize(1);
      RecoveredRecord record = pool.recovered().get(0);
      assertThat(record.header().id()).isEqualTo(ID);
      assertThat(read(record)).isEqualTo(payload);
      assertThat(pool.usage().used()).isEqualTo(3 * PoolLayout.CHUNK_BYTES);
    }
  }

  @Test
  void aRetractedRecordIsGoneAfterReopeningAndItsSpaceIsFree() {
    try (Pool pool = Pool.open(kept("a.pool"))) {
      Extent extent = publish(pool, bytes(10_000));
      extent.retract();
      extent.discard();
    }
    try (Pool pool = Pool.open(kept("a.pool"))) {
      assertThat(pool.recovered()).isEmpty();
      assertThat(pool.usage().used()).isZero();
    }
  }

  @Test
  void whatIsLeftAtEachStepOfAnAppendIsAllOrNothing() throws IOException {
    byte[] payload = bytes(5_000);
    try (Pool pool = Pool.open(kept("a.pool"))) {
      publish(pool, payload);
      Extent extent = pool.reserve(5_000, 5_000).orElseThrow();
      assertThat(recoveredFromCopyOf(pool)).as("reserved").isEqualTo(1);
      pool.memory().put(extent.payloadOffset(), payload, 0, payload.length);
      assertThat(recoveredFromCopyOf(pool)).as("payload written").isEqualTo(1);
      pool.publish(extent, ID, payload.length, crc(payload));
      assertThat(recoveredFromCopyOf(pool)).as("published").isEqualTo(2);
      long word = pool.memory().getLong(extent.wordOffset());
      pool.memory().putLong(extent.wordOffset(), 0);
      assertThat(recoveredFromCopyOf(pool)).as("all but the word").isEqualTo(1);
      pool.memory().putLong(extent.wordOffset(), word);
      extent.retract();
      assertThat(recoveredFromCopyOf(pool)).as("retracted").isEqualTo(1);
      extent.discard();
    }
  }

  @Test
  void aRecordWhosePayloadHeaderOrWordIsDamagedIsDropped() {
    long payloadAt;
    long headerAt;
    long wordAt;
    try (Pool pool = Pool.open(kept("a.pool"))) {
      payloadAt = publish(pool, bytes(5_000)).payloadOffset() + 4_999;
      headerAt = publish(pool, bytes(5_000)).offset() + RecordLayout.LENGTH_AT;
      wordAt = publish(pool, bytes(5_000)).wordOffset();
      publish(pool, bytes(5_000));
    }
    flip(directory.resolve("a.pool"), payloadAt);
    flip(directory.resolve("a.pool"), headerAt);
    flip(directory.resolve("a.pool"), wordAt);

    try (Pool pool = Pool.open(kept("a.pool"))) {
      assertThat(pool.recovered()).hasSize(1);
      assertThat(pool.usage().used()).isEqualTo(2 * PoolLayout.CHUNK_BYTES);
    }
  }

  @Test
  void sequencesAreNeverUsedTwice() {
    long first;
    try (Pool pool = Pool.open(kept("a.pool"))) {
      Extent extent = publish(pool, bytes(1));
      first = pool.memory().getLong(extent.offset() + RecordLayout.SEQUENCE_AT);
      extent.retract();
      extent.discard();
    }
    try (Pool pool = Pool.open(kept("a.pool"))) {
      Extent extent = publish(pool, bytes(1));
      assertThat(pool.memory().getLong(extent.offset() + RecordLayout.SEQUENCE_AT))
          .isGreaterThan(first);
    }
  }

  @Test
  void aSecondOwnerIsRefusedAndTheFirstKeepsThePool() {
    try (Pool pool = Pool.open(kept("a.pool"))) {
      for (int i = 0; i < 2; i++) {
        assertCode(StoreException.Code.POOL_OWNED, kept("a.pool"))
            .hasMessageContaining("a.pool has an owner that is alive")
            .hasMessageContaining("this process (" + ProcessHandle.current().pid() + ")");
      }
      publish(pool, bytes(100));
    }
    Pool.open(kept("a.pool")).close();
  }

  @Test
  void aForeignFileIsRefusedByItsMagic() throws IOException {
    Path file = directory.resolve("a.pool");
    Files.writeString(file, "somebody else's data ".repeat(10_000));

    assertCode(StoreException.Code.POOL_INVALID, kept("a.pool"))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("magic is 0x")
        .hasMessageContaining("expected 0x5652424e504f4f4c");
    assertThat(Files.readString(file)).startsWith("somebody else's data ");
  }

  @Test
  void anotherVersionIsRefused() {
    Pool.open(kept("a.pool")).close();
    patch(directory.resolve("a.pool"), PoolLayout.VERSION_AT, 9);

    assertCode(StoreException.Code.POOL_INVALID, kept("a.pool"))
        .hasMessageContaining("version is 9, expected 1");
  }

  @Test
  void aDamagedHeaderIsRefused() {
    Pool.open(kept("a.pool")).close();
    patch(directory.resolve("a.pool"), PoolLayout.CHUNK_COUNT_AT, 7);

    assertCode(StoreException.Code.POOL_INVALID, kept("a.pool"))
        .hasMessageContaining("header CRC32C is ");
  }

  @Test
  void aTruncatedFileIsRefused() throws IOException {
    Pool.open(kept("a.pool")).close();
    for (long size : new long[] {SIZE - 1, 200, 50, 0}) {
      try (RandomAccessFile file =
          new RandomAccessFile(directory.resolve("a.pool").toFile(), "rw")) {
        file.setLength(size);
      }
      assertCode(StoreException.Code.POOL_INVALID, kept("a.pool"))
          .hasMessageContaining("length is " + size + ", expected ");
    }
  }

  @Test
  void aKeptPoolIsNotOpenedAsAnEphemeralOne() {
    Pool.open(kept("a.pool")).close();

    assertCode(StoreException.Code.POOL_INVALID, ephemeral("a.pool"))
        .hasMessageContaining("ephemeral is false, expected true");
    assertThat(directory.resolve("a.pool")).exists();
  }

  @Test
  void durabilityAboveTheCeilingIsAnError() {
    assertCode(
            StoreException.Code.DURABILITY_UNAVAILABLE,
            kept("a.pool").withDomain(DurabilityDomain.POWER))
        .hasMessageContaining("POWER asked for, expected at most PROCESS");
    assertThat(directory.resolve("a.pool")).doesNotExist();
  }

  @Test
  void aFilePoolReachesPowerByMsync() {
    PoolOptions options =
        PoolOptions.file(directory.resolve("f.pool"), SIZE).withDomain(DurabilityDomain.POWER);
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.method()).isEqualTo(DurabilityMethod.MSYNC);
      assertThat(pool.domain()).isEqualTo(DurabilityDomain.POWER);
      publish(pool, bytes(50_000));
    }
  }

  @Test
  void aFileSystemWithoutDaxRefusesAPoolOfThatKindAndLeavesNoFile() {
    assertCode(StoreException.Code.IO, fsdax(directory))
        .hasMessageContaining("can't be mapped with MAP_SYNC, expected a file system mounted");
    assertThat(fsdax(directory).path()).doesNotExist();
  }

  /** The directory is one of a DAX file system, such as the guest of the VM lane has. */
  @Test
  @EnabledIfEnvironmentVariable(named = "VERBENA_DAX_DIRECTORY", matches = "/.*")
  void aDaxPoolReachesPowerByFlushAndIsFoundAgain() {
    PoolOptions options = fsdax(Path.of(System.getenv("VERBENA_DAX_DIRECTORY")));
    byte[] payload = bytes(50_000);
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.method()).isEqualTo(DurabilityMethod.FLUSH);
      assertThat(pool.domain()).isEqualTo(DurabilityDomain.POWER);
      publish(pool, payload);
    }
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.recovered()).hasSize(1);
      assertThat(read(pool.recovered().get(0))).isEqualTo(payload);
    }
  }

  @Test
  void whatIsNoDaxDeviceCanNotHoldAPoolOfThatKind() {
    PoolOptions options = PoolOptions.device(Path.of("/dev/null"), 2 << 20);
    assertCode(StoreException.Code.IO, options)
        .hasMessageContaining("pool /dev/null can't be opened: /dev/null can't be used as a DAX");
  }

  /** The device holds zeros or a pool, and may be written. */
  @Test
  @EnabledIfEnvironmentVariable(named = "VERBENA_DAX_DEVICE", matches = "/.*")
  void aPoolOnADeviceReachesPowerByFlushAndIsFoundAgain() {
    PoolOptions options =
        PoolOptions.device(Path.of(System.getenv("VERBENA_DAX_DEVICE")), 64L << 20);
    byte[] payload = bytes(50_000);
    int before;
    try (Pool pool = Pool.open(options)) {
      before = pool.recovered().size();
      assertThat(pool.method()).isEqualTo(DurabilityMethod.FLUSH);
      assertThat(pool.domain()).isEqualTo(DurabilityDomain.POWER);
      publish(pool, payload);
      assertCode(StoreException.Code.POOL_OWNED, options)
          .hasMessageContaining("this process (" + ProcessHandle.current().pid() + ")");
    }
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.recovered()).hasSize(before + 1);
      assertThat(pool.recovered()).anySatisfy(found -> assertThat(read(found)).isEqualTo(payload));
    }
  }

  private static PoolOptions fsdax(Path directory) {
    return new PoolOptions(
        PoolKind.FSDAX, directory.resolve("d.pool"), SIZE, DurabilityDomain.POWER, false);
  }

  @Test
  void aFilePoolThatNeedsOnlyTheProcessIsNotSynced() {
    try (Pool pool = Pool.open(PoolOptions.file(directory.resolve("f.pool"), SIZE))) {
      assertThat(pool.method()).isEqualTo(DurabilityMethod.NONE);
    }
  }

  @Test
  void onlyTheOwnerMayReadThePoolsFile() throws IOException {
    try (Pool pool = Pool.open(kept("a.pool"))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pool.path())))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void anEphemeralPoolIsUnlinkedOnClose() throws IOException {
    Pool.open(ephemeral("a.pool")).close();

    try (var files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void aFullPoolGivesNothingAndRecoversWhenSpaceReturns() {
    try (Pool pool = Pool.open(ephemeral("a.pool"))) {
      Extent all = pool.reserve(1, SIZE).orElseThrow();
      assertThat(pool.reserve(1, 1)).isEmpty();
      assertThat(pool.usage().used()).isEqualTo(pool.usage().size());
      all.discard();
      assertThat(pool.reserve(1, 1)).isPresent();
    }
  }

  @Test
  void publishingGivesBackWhatThePayloadDoesNotNeed() {
    try (Pool pool = Pool.open(ephemeral("a.pool"))) {
      Extent extent = pool.reserve(1, 500_000).orElseThrow();
      pool.publish(extent, ID, 0, crc(new byte[0]));
      assertThat(pool.usage().used()).isEqualTo(PoolLayout.CHUNK_BYTES);
    }
  }

  @Test
  void aPublishedExtentCanNotBeReleased() {
    try (Pool pool = Pool.open(ephemeral("a.pool"))) {
      Extent extent = publish(pool, bytes(10));
      assertThatThrownBy(extent::discard).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void theWordTableAndTheChunksOfEverySizeFitTheFile() {
    for (long size = PoolOptions.MIN_SIZE; size < 20 * SIZE; size = size * 9 / 8 + 1) {
      long chunks = PoolLayout.chunksIn(size);
      assertThat(PoolLayout.sizeFor(chunks)).isLessThanOrEqualTo(size);
      assertThat(PoolLayout.sizeFor(chunks + 1)).isGreaterThan(size);
    }
  }

  private org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertCode(
      StoreException.Code code, PoolOptions options) {
    return assertThatThrownBy(() -> Pool.open(options))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  private PoolOptions kept(String name) {
    return ephemeral(name).kept();
  }

  private PoolOptions ephemeral(String name) {
    return PoolOptions.memory(directory.resolve(name), SIZE);
  }

  private int recoveredFromCopyOf(Pool pool) throws IOException {
    Path copy = directory.resolve("copy.pool");
    Files.copy(pool.path(), copy);
    PoolOptions options =
        new PoolOptions(PoolKind.MEMORY, copy, SIZE, DurabilityDomain.PROCESS, false);
    try (Pool reopened = Pool.open(options)) {
      return reopened.recovered().size();
    } finally {
      Files.delete(copy);
    }
  }

  private static Extent publish(Pool pool, byte[] payload) {
    Extent extent = pool.reserve(payload.length, payload.length).orElseThrow();
    pool.memory().put(extent.payloadOffset(), payload, 0, payload.length);
    pool.publish(extent, ID, payload.length, crc(payload));
    return extent;
  }

  private static byte[] read(RecoveredRecord record) {
    byte[] payload = new byte[(int) record.header().payloadBytes()];
    record
        .extent()
        .pool()
        .memory()
        .get(record.extent().payloadOffset(), payload, 0, payload.length);
    return payload;
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new java.util.Random(length).nextBytes(bytes);
    return bytes;
  }

  private static int crc(byte[] payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload);
    return (int) crc.getValue();
  }

  private static void flip(Path file, long at) {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.seek(at);
      int value = access.read();
      access.seek(at);
      access.write(value ^ 0x10);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void patch(Path file, long at, int value) {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.seek(at);
      access.writeInt(Integer.reverseBytes(value));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
