// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantFixture.APPLICATION;
import static dev.verbena.store.grant.GrantFixture.MIB;
import static dev.verbena.store.grant.GrantFixture.block;
import static dev.verbena.store.grant.GrantWriter.deadline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.local.LogEntry;
import dev.verbena.store.local.StoreLogs;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What appending to a log in another process's store promises, over whatever carrier. */
abstract class LogContract extends GrantSuite {
  private static final int LOG = 5;
  private static final int[] LENGTHS = {0, 1, 64, 4032, 4033, 100_000, 3 * MIB};

  LogContract(GrantPath path) {
    super(path);
  }

  @Test
  void entriesOfAnyLengthAreFoundInTheirOrderByTheStore() {
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      for (int i = 0; i < LENGTHS.length; i++) {
        assertThat(log.append(block(i, 0, LENGTHS[i] + 3), 3, LENGTHS[i]))
            .isEqualTo(new Durability(DurabilityDomain.PROCESS, path.method));
      }
      assertThat(log.carrier()).isEqualTo(path.carrier);
    }
    List<LogEntry> entries = entries(fixture.store);
    assertThat(entries).hasSize(LENGTHS.length);
    for (int i = 0; i < LENGTHS.length; i++) {
      byte[] whole = block(i, 0, LENGTHS[i] + 3);
      assertThat(entries.get(i).read().orElseThrow())
          .isEqualTo(Arrays.copyOfRange(whole, 3, whole.length));
    }
    assertThat(entries).isSortedAccordingTo(Comparator.comparingLong(LogEntry::ordinal));
    assertThat(fixture.used() - before).isEqualTo(space(LENGTHS));
    assertThat(fixture.store.usedBy(APPLICATION)).isEqualTo(space(LENGTHS));
    assertThat(fixture.server.grants().open()).isZero();
  }

  @Test
  void theArgumentOfACallIsAnEntryThatTheServiceFindsInThePool() {
    int[] lengths = {1, 5_000, 300_000};
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      for (int i = 0; i < lengths.length; i++) {
        ByteBuffer request = ByteBuffer.wrap(new byte[] {(byte) i, 2, 3});
        ByteBuffer answer =
            log.call(GrantFixture.ECHO, block(i, 0, lengths[i]), 0, lengths[i], request);
        CRC32C crc = new CRC32C();
        crc.update(block(i, 0, lengths[i]));

        assertThat(answer.getLong()).isNotNegative();
        assertThat(answer.getLong()).isEqualTo(crc.getValue());
        assertThat(answer).isEqualTo(request);
      }
    }
    List<LogEntry> entries = entries(fixture.store);
    assertThat(entries).hasSize(lengths.length);
    for (int i = 0; i < lengths.length; i++) {
      assertThat(entries.get(i).read()).contains(block(i, 0, lengths[i]));
    }
  }

  @Test
  void theArgumentOfACallThatFailedIsInTheLogAndTheLogGoesOn() {
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      assertThatThrownBy(
              () -> log.call(GrantFixture.ECHO, new byte[0], 0, 0, ByteBuffer.allocate(0)))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.INVALID_ARGUMENT));
      log.append(block(1, 0, 10), 0, 10);
    }
    assertThat(entries(fixture.store)).extracting(LogEntry::length).containsExactly(0L, 10L);
  }

  @Test
  void theArgumentOfACallWhoseCallerVanishedStays() {
    RemoteLog log = writer.client.openLog(APPLICATION, LOG);
    log.call(GrantFixture.ECHO, block(1, 0, 5_000), 0, 5_000, ByteBuffer.allocate(0));
    writer.connection.close();
    Await.until("the store to take it over", () -> entries(fixture.store).size() == 1);

    assertThat(entries(fixture.store).get(0).read()).contains(block(1, 0, 5_000));
  }

  @Test
  void anArgumentThatWasNotPublishedWhereTheCallSaysIsRefused() {
    ClientGrant run = run();
    put(run, 1, StoreLogs.idOf(IndexKey.hashOf(APPLICATION), LOG, 1), run.terms().sequence() + 1);
    long grant = run.terms().grant();
    isNoArgument(LOG, grant, 0);
    isNoArgument(LOG, grant, -1);
    isNoArgument(LOG, grant, Long.MIN_VALUE);
    isNoArgument(LOG, grant, 2);
    isNoArgument(LOG, grant, 1L << 40);
    isNoArgument(LOG + 1, grant, 1);
    isNoArgument(LOG, grant + 1, 1);
    try (GrantWriter other = fixture.connect()) {
      isNoArgument(other, LOG, grant, 1);
    }
    assertThat(echo(writer, LOG, grant, 1).getLong()).isEqualTo(1);
  }

  private void isNoArgument(int log, long grant, long ordinal) {
    isNoArgument(writer, log, grant, ordinal);
  }

  private static void isNoArgument(GrantWriter caller, int log, long grant, long ordinal) {
    assertThatThrownBy(() -> echo(caller, log, grant, ordinal))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.NOT_GRANTED));
  }

  private static ByteBuffer echo(GrantWriter caller, int log, long grant, long ordinal) {
    return caller.client.call(
        GrantFixture.ECHO,
        ArgumentLayout.encode(
            new ArgumentLayout.Request(log, grant, ordinal, ByteBuffer.allocate(0))));
  }

  @Test
  void theStorePersistsNothingThatWasNotGranted() {
    ClientGrant run = run();
    long grant = run.terms().grant();
    long bytes = RecordLayout.spaceFor(run.capacity());
    long words = bytes / PoolLayout.CHUNK_BYTES * PoolLayout.WORD_BYTES;
    for (PersistLayout.Request wrong :
        List.of(
            new PersistLayout.Request(false, grant, bytes - 8, 16),
            new PersistLayout.Request(false, grant, -8, 8),
            new PersistLayout.Request(false, grant, 8, -1),
            new PersistLayout.Request(false, grant, 8, Long.MAX_VALUE),
            new PersistLayout.Request(true, grant, words, 8),
            new PersistLayout.Request(true, grant, 4, 8),
            new PersistLayout.Request(true, grant, -8, 8))) {
      persistFails(StoreException.Code.INVALID_ARGUMENT, wrong);
    }
    persistFails(
        StoreException.Code.NOT_GRANTED, new PersistLayout.Request(false, grant + 1, 0, 8));
    writer.client.persist(new PersistLayout.Request(false, grant, 0, bytes));
    writer.client.persist(new PersistLayout.Request(true, grant, 0, words));
  }

  private void persistFails(StoreException.Code code, PersistLayout.Request request) {
    assertThatThrownBy(() -> writer.client.persist(request))
        .as(request.toString())
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(writer.client.failure(e).code()).isEqualTo(code));
  }

  @Test
  void moreThanThePoolPromisesIsRefused() {
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG, DurabilityDomain.POWER)) {
      assertThatThrownBy(() -> log.append(new byte[1], 0, 1))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.DURABILITY_UNAVAILABLE));
    }
    assertThat(fixture.used()).isEqualTo(before);
    assertThat(fixture.server.grants().open()).isZero();
  }

  @Test
  void moreThanOneRunCanHoldIsInTheLogAsWell() {
    int length = 700_000;
    int count = 60;
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      for (int i = 0; i < count; i++) {
        log.append(block(i, 1, length), 0, length);
      }
    }
    List<LogEntry> entries = entries(fixture.store);
    assertThat(entries).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(entries.get(i).read()).contains(block(i, 1, length));
    }
  }

  @Test
  void aRunThatWasUsedUpIsLookedThroughByWhoReadsTheLogOrEndsIt() {
    for (int round = 0; round < 2; round++) {
      ClientGrant run = run();
      int chunks = (int) (RecordLayout.spaceFor(run.capacity()) / PoolLayout.CHUNK_BYTES);
      long first = (long) round * chunks;
      for (int i = 0; i < chunks; i++) {
        RecordId id = StoreLogs.idOf(IndexKey.hashOf(APPLICATION), LOG, first + i);
        put(run, i, id, run.terms().sequence() + i);
      }
      writer.client.abandon(new long[] {run.terms().grant()});
      assertThat(fixture.used()).isEqualTo(before + space(1) * chunks);
      if (round == 0) {
        assertThat(entries(fixture.store)).hasSize(chunks);
        assertThat(fixture.store.logs().trim(APPLICATION, LOG, Long.MAX_VALUE)).isEqualTo(chunks);
      }
    }
    fixture.store.removeApplication(APPLICATION);
    assertThat(fixture.used()).isEqualTo(before);
    assertThat(fixture.store.usedBy(APPLICATION)).isZero();
  }

  @Test
  void whatAWriterAppendedBeforeItVanishedStays() {
    RemoteLog log = writer.client.openLog(APPLICATION, LOG);
    log.append(block(1, 0, 5_000), 0, 5_000);
    log.append(block(2, 0, 10), 0, 10);
    assertThat(entries(fixture.store)).isEmpty();
    writer.connection.close();
    Await.until("the store to take it over", () -> entries(fixture.store).size() == 2);

    assertThat(entries(fixture.store).get(0).read()).contains(block(1, 0, 5_000));
    assertThat(entries(fixture.store).get(1).read()).contains(block(2, 0, 10));
    fixture.awaitUsed(before + space(5_000, 10));
  }

  @Test
  void whatWasAppendedIsFoundByAStoreThatDiedAndIsOpenedAgain() throws IOException {
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      for (int i = 0; i < LENGTHS.length; i++) {
        log.append(block(i, 0, LENGTHS[i]), 0, LENGTHS[i]);
      }
      // The files as a killed owner leaves them: its run is still granted.
      Path copy = Files.createDirectory(fixture.directory.resolve("copy"));
      try (var files = Files.newDirectoryStream(fixture.directory, "granting*.pool")) {
        for (Path file : files) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
      try (LocalBlockStore again =
          LocalBlockStore.open(GrantFixture.storeOptions(copy, DurabilityDomain.PROCESS))) {
        List<LogEntry> entries = entries(again);
        assertThat(entries).hasSize(LENGTHS.length);
        for (int i = 0; i < LENGTHS.length; i++) {
          assertThat(entries.get(i).read()).contains(block(i, 0, LENGTHS[i]));
        }
        assertThat(again.usedBy(APPLICATION)).isEqualTo(space(LENGTHS));
        long last = entries.get(entries.size() - 1).ordinal();
        assertThat(again.logs().append(APPLICATION, LOG, new byte[] {1}, 0, 1)).isGreaterThan(last);
        again.removeApplication(APPLICATION);
        assertThat(again.usedBy(APPLICATION)).isZero();
        assertThat(entries(again)).isEmpty();
      }
    }
  }

  @Test
  void aLogIsTrimmedFromItsFrontAndEndsWithItsApplication() {
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      for (int i = 0; i < 4; i++) {
        log.append(block(i, 0, 100), 0, 100);
      }
    }
    List<LogEntry> all = entries(fixture.store);
    assertThat(fixture.store.logs().trim(APPLICATION, LOG, all.get(1).ordinal())).isEqualTo(2);
    assertThat(entries(fixture.store)).containsExactlyElementsOf(all.subList(2, 4));
    assertThat(all.get(0).read()).isEmpty();
    fixture.store.removeApplication(APPLICATION);
    assertThat(entries(fixture.store)).isEmpty();
    assertThat(fixture.used()).isEqualTo(before);
  }

  @Test
  void whatIsAppendedToALogThatWasRemovedGoesWithItsGrant() {
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      log.append(new byte[1], 0, 1);
      fixture.store.removeApplication(APPLICATION);
      log.append(new byte[1], 0, 1);
    }
    assertThat(entries(fixture.store)).isEmpty();
    assertThat(fixture.used()).isEqualTo(before);
    assertThat(fixture.store.usedBy(APPLICATION)).isZero();
  }

  @Test
  void anEntryThatSaysItIsAnotherIsDroppedWithTheRunsEnd() {
    ClientGrant run = run();
    GrantLayout.Response terms = run.terms();
    long hash = IndexKey.hashOf(APPLICATION);
    long ordinal = 0;
    put(run, 0, StoreLogs.idOf(hash, LOG, ordinal), terms.sequence());
    put(run, 1, StoreLogs.idOf(hash, LOG + 1, ordinal + 1), terms.sequence() + 1);
    put(run, 2, StoreLogs.idOf(hash + 1, LOG, ordinal + 2), terms.sequence() + 2);
    put(run, 3, StoreLogs.idOf(hash, LOG, ordinal), terms.sequence() + 3);
    put(run, 4, StoreLogs.idOf(hash, LOG, ordinal + 4), terms.sequence() + (1 << 22));
    put(run, 5, new RecordId(2, hash, LOG, ordinal + 5), terms.sequence() + 5);
    put(run, 6, StoreLogs.idOf(hash, LOG, ordinal + 7), terms.sequence() + 7);
    writer.client.abandon(new long[] {terms.grant()});

    assertThat(entries(fixture.store)).hasSize(1);
    assertThat(entries(fixture.store).get(0).read()).contains(new byte[] {7});
    assertThat(fixture.used()).isEqualTo(before + space(1));
  }

  @Test
  void ofEntriesThatOverlapTheLowerOneIsDropped() {
    ClientGrant run = run();
    long hash = IndexKey.hashOf(APPLICATION);
    put(run, 0, StoreLogs.idOf(hash, LOG, 0), run.terms().sequence(), new byte[5_000]);
    put(run, 1, StoreLogs.idOf(hash, LOG, 1), run.terms().sequence() + 1);
    writer.client.abandon(new long[] {run.terms().grant()});

    assertThat(entries(fixture.store)).extracting(LogEntry::ordinal).containsExactly(1L);
    assertThat(fixture.used()).isEqualTo(before + space(1));
  }

  @Test
  void theKeyOfARunsWordsOpensNoWordBehindThem() {
    ClientGrant run = run();
    long bytes = RecordLayout.spaceFor(run.capacity()) / PoolLayout.CHUNK_BYTES * 8;
    BulkBatch other =
        new BulkBatch(1).publish(run.terms().wordAddress() + bytes, run.terms().wordKey(), 1);

    assertThatThrownBy(() -> writer.connection.bulk().transfer(other, deadline()))
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> assertThat(e.code()).isEqualTo(RpcException.Code.REMOTE_ACCESS));
  }

  @Test
  void aRunIsNoSegmentOfAMapOutput() {
    isNoSegment(run());
    isNoSegment(run(1));
  }

  private void isNoSegment(ClientGrant run) {
    CommitLayout.WireSegment segment =
        new CommitLayout.WireSegment(run.terms().grant(), 0, new long[] {0, 1});
    CommitLayout.Request request =
        new CommitLayout.Request(GrantFixture.key(1), 1, List.of(segment), new long[0]);

    assertThatThrownBy(() -> writer.client.commit(request))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.NOT_GRANTED));
    fixture.awaitUsed(before);
  }

  @Test
  void writersOfAProcessCountTheirEntriesByCarrier() {
    try (RemoteWriters writers = RemoteWriters.open(fixture.serveOptions())) {
      try (RemoteLog log = writers.openLog(fixture.server.endpoint(), APPLICATION, LOG)) {
        for (int i = 0; i < 20; i++) {
          log.append(new byte[100], 0, 100);
        }
      }
      assertThat(writers.counts().of(path.carrier).ranges()).isEqualTo(20);
      assertThat(writers.counts().of(path.carrier).bytes()).isEqualTo(2_000);
    }
  }

  @Test
  void anAppendAfterTheConnectionEndedSaysSoAndIsTheLastOne() {
    RemoteLog log = writer.client.openLog(APPLICATION, LOG);
    log.append(new byte[1], 0, 1);
    writer.connection.close();

    assertThatThrownBy(() -> log.append(new byte[1], 0, 1)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> log.append(new byte[1], 0, 1))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.CLOSED));
    log.close();
  }

  private ClientGrant run() {
    return run(8);
  }

  private ClientGrant run(int chunks) {
    return writer
        .client
        .grantRun(
            new LogRunLayout.Request(APPLICATION, LOG, 1, (long) chunks * PoolLayout.CHUNK_BYTES),
            DurabilityDomain.PROCESS)
        .grant();
  }

  private void put(ClientGrant run, int chunk, RecordId id, long sequence) {
    put(run, chunk, id, sequence, new byte[] {7});
  }

  /** Publishes a record in a chunk of a run. */
  private void put(ClientGrant run, int chunk, RecordId id, long sequence, byte[] payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload);
    RecordHeader header = RecordHeader.of(id, payload.length, sequence, (int) crc.getValue());
    int bytes = RecordLayout.HEADER_BYTES + payload.length;
    try (RegisteredBuffer buffer = writer.buffers.acquire(bytes + 8, deadline())) {
      buffer.memory().put(buffer.offset(), header.encode(), 0, RecordLayout.HEADER_BYTES);
      buffer.memory().put(buffer.offset() + RecordLayout.HEADER_BYTES, payload, 0, payload.length);
      BulkBatch batch = new BulkBatch(4);
      long at = (long) chunk * PoolLayout.CHUNK_BYTES;
      run.write(batch, buffer, 0, at, bytes);
      run.publish(batch, at, bytes, header.publishWord(), buffer, bytes);
      writer.connection.bulk().transfer(batch, deadline());
      if (path.method == DurabilityMethod.REMOTE_PERSIST) {
        writer.client.persist(run.persistRecord(at, bytes));
        writer.client.persist(run.persistWord(at));
      }
    }
  }

  private static List<LogEntry> entries(LocalBlockStore store) {
    return store.logs().entries(APPLICATION, LOG);
  }

  private static long space(int... lengths) {
    long space = 0;
    for (int length : lengths) {
      space += RecordLayout.spaceFor(length);
    }
    return space;
  }
}
