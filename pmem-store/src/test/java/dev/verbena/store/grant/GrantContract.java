// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantFixture.MIB;
import static dev.verbena.store.grant.GrantFixture.block;
import static dev.verbena.store.grant.GrantFixture.key;
import static dev.verbena.store.grant.GrantWriter.deadline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.BlockSink;
import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.store.serve.BlockRange;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.store.serve.StoreClient;
import dev.verbena.testing.Await;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What writing into another process's store promises, over whatever carrier. */
abstract class GrantContract extends GrantSuite {
  /** A second, and more where the tests are given more patience, since renewing takes longer. */
  private static final Duration SHORT_LEASE =
      Duration.ofSeconds(Math.max(1, Await.PATIENCE.toSeconds() / 30));

  GrantContract(GrantPath path) {
    super(path);
  }

  @Test
  void anOutputThatWasWrittenFromElsewhereIsReadAsOneThatWasWrittenHere() {
    long[] checksums = {7, 8, 9};
    try (RemoteMapOutputWriter output = writer.client.openMapOutput(key(1), 3)) {
      output.append(0, block(1, 0, 5), 0, 5);
      output.append(2, block(1, 2, 9 * MIB + 3), 0, 9 * MIB + 3);
      output.startRound();
      output.append(0, block(1, 0, 1_000), 5, 995);
      MapOutputCommit commit = output.commit(checksums);

      assertThat(commit.first()).isTrue();
      assertThat(commit.partitionLengths()).containsExactly(1_000, 0, 9 * MIB + 3);
      assertThat(output.durability())
          .contains(new Durability(DurabilityDomain.PROCESS, path.method));
    }
    assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 1_000));
    assertThat(fixture.read(1, 1)).isEmpty();
    assertThat(fixture.read(1, 2)).isEqualTo(block(1, 2, 9 * MIB + 3));
    try (StoredMapOutput stored = fixture.store.find(key(1)).orElseThrow()) {
      assertThat(stored.checksums()).isEqualTo(checksums);
    }
    assertThat(writer.client.carrier()).isEqualTo(path.carrier);
    assertThat(fixture.server.grants().open()).isZero();
  }

  @Test
  void writersOfAProcessShareAConnectionAndAreCountedByCarrier() {
    try (RemoteWriters writers = RemoteWriters.open(fixture.serveOptions())) {
      for (int output = 0; output < 20; output++) {
        try (RemoteMapOutputWriter one =
            writers.openMapOutput(fixture.server.endpoint(), key(output), 2)) {
          GrantWriter.append(one, output, 2, 10_000);
          one.commit(new long[0]);
        }
      }
      assertThat(writers.counts().of(path.carrier).ranges()).isEqualTo(20);
      assertThat(writers.counts().of(path.carrier).bytes()).isEqualTo(400_000);
    }
    for (int output = 0; output < 20; output++) {
      assertThat(fixture.read(output, 1)).isEqualTo(block(output, 1, 10_000));
    }
  }

  @Test
  void anOutputThatWasWrittenFromElsewhereIsReadFromElsewhere() {
    assumeTrue(fixture.server.stagedPools().isEmpty(), "its pools can't be read from elsewhere");
    writer.write(1, 3, 2 * MIB);
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    BlockSink sink =
        new BlockSink() {
          @Override
          public void put(byte[] source, int offset, int length) {
            read.write(source, offset, length);
          }

          @Override
          public void put(ByteBuffer source) {
            throw new AssertionError("arrays are expected");
          }
        };
    try (StoreClient client = StoreClient.open(fixture.serveOptions())) {
      client.transfer(fixture.server.endpoint(), new BlockRange(key(1), 1, 2), sink);
    }
    assertThat(read.toByteArray()).isEqualTo(block(1, 1, 2 * MIB));
  }

  @Test
  void anEmptyOutputTakesNoGrant() {
    try (RemoteMapOutputWriter output = writer.client.openMapOutput(key(1), 2)) {
      assertThat(output.commit(new long[0]).partitionLengths()).containsExactly(0, 0);
      assertThat(output.durability()).isEmpty();
    }
    assertThat(fixture.read(1, 1)).isEmpty();
  }

  @Test
  void theFirstCommitOfAKeyWinsAndTheOtherLeavesNothing() {
    writer.write(1, 2, 1_000);
    long first = fixture.used();
    try (RemoteMapOutputWriter late = writer.client.openMapOutput(key(1), 2)) {
      late.append(0, new byte[50_000], 0, 50_000);
      MapOutputCommit commit = late.commit(new long[0]);

      assertThat(commit.first()).isFalse();
      assertThat(commit.partitionLengths()).containsExactly(1_000, 1_000);
    }
    assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 1_000));
    assertThat(fixture.used()).isEqualTo(first);
  }

  @Test
  void whatWasNotCommittedIsNeverSeenAndItsSpaceComesBack() {
    try (RemoteMapOutputWriter output = writer.client.openMapOutput(key(1), 1)) {
      output.append(0, block(1, 0, 3 * MIB), 0, 3 * MIB);
      output.startRound();
      output.append(0, block(1, 0, 10), 0, 10);

      assertThat(fixture.store.find(key(1))).isEmpty();
      assertThat(fixture.used()).isGreaterThan(before);
      assertThat(fixture.server.grants().open()).isGreaterThan(1);
    }
    assertThat(fixture.used()).isEqualTo(before);
    assertThat(fixture.server.grants().open()).isZero();
  }

  @Test
  void bytesBeyondTheGrantAreRefusedHereAndByTheStore() {
    assumeTrue(fixture.server.stagedPools().isEmpty(), "each grant has memory of its own");
    ClientGrant grant = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
    ClientGrant neighbour = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
    long size = RecordLayout.HEADER_BYTES + grant.capacity();
    assertThat(neighbour.terms().recordAddress()).isEqualTo(grant.terms().recordAddress() + size);
    try (RegisteredBuffer source = writer.buffers.acquire(64, deadline())) {
      assertThatThrownBy(() -> grant.write(new BulkBatch(1), source, 0, size - 63, 64))
          .isInstanceOfSatisfying(StoreException.class, GrantContract::isInvalid);

      assertRefused(grant, size - 63);
    }
  }

  @Test
  void theKeyOfAWordOpensNoOtherWord() {
    ClientGrant grant = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
    GrantLayout.Response terms = grant.terms();
    BulkBatch other = new BulkBatch(1).publish(terms.wordAddress() + 8, terms.wordKey(), 1);

    assertThatThrownBy(() -> writer.connection.bulk().transfer(other, deadline()))
        .isInstanceOfSatisfying(RpcException.class, GrantContract::isRefused);
  }

  @Test
  void aGrantIsNotAbandonedFromAnotherConnection() {
    ClientGrant grant = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
    try (GrantWriter other = fixture.connect()) {
      assertThatThrownBy(() -> other.client.abandon(new long[] {grant.terms().grant()}))
          .isInstanceOfSatisfying(StoreException.class, GrantContract::isNotGranted);
    }
    assertThat(fixture.server.grants().open()).isEqualTo(1);
  }

  @Test
  void aLateWriteMeetsARevokedKeyAndTheNewOwnersBlockIsIntact() {
    ClientGrant killed = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
    writer.client.abandon(new long[] {killed.terms().grant()});
    try (GrantWriter heir = fixture.connect()) {
      heir.write(1, 1, 100);
      assertRefused(killed, 0);
    }
    assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 100));
  }

  @Test
  void aWriteAfterTheCommitIsRefused() {
    RemoteMapOutputWriter output = writer.client.openMapOutput(key(1), 1);
    output.append(0, block(1, 0, 100), 0, 100);
    ClientGrant grant = output.openSegment().orElseThrow().grant();
    output.commit(new long[0]);
    assertRefused(grant, 0);
    assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 100));
  }

  @Test
  void aGrantThatIsNotRenewedEndsAndItsSpaceIsGivenToOthers() {
    beginAgain(GrantOptions.defaults().withLease(SHORT_LEASE));
    ClientGrant late;
    try (GrantWriter heir = fixture.connect();
        RegisteredBuffer source = writer.buffers.acquire(64, deadline())) {
      fixture.stopRenewing();
      late = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
      fixture.awaitUsed(before);
      heir.write(1, 1, 100);

      assertThatThrownBy(() -> late.write(new BulkBatch(1), source, 0, 0, 64))
          .isInstanceOfSatisfying(StoreException.class, GrantContract::isNotGranted);
      assertRefused(late, 0);
    }
    assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 100));
  }

  @Test
  void aGrantIsRenewedAsLongAsItsWriterLives() {
    beginAgain(GrantOptions.defaults().withLease(SHORT_LEASE));
    long end = System.nanoTime() + 3 * SHORT_LEASE.toNanos();
    try (RemoteMapOutputWriter output = writer.client.openMapOutput(key(1), 1)) {
      output.append(0, block(1, 0, 100), 0, 100);
      Await.until("several leases to pass", () -> System.nanoTime() - end > 0);
      output.commit(new long[0]);
    }
    assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 100));
  }

  @Test
  void theEndOfAConnectionEndsItsGrantsAndNoOthers() {
    try (RemoteMapOutputWriter output = writer.client.openMapOutput(key(1), 1)) {
      output.append(0, block(1, 0, 100), 0, 100);
      long mine = fixture.used();
      GrantWriter other = fixture.connect();
      other.client.grant(GrantFixture.APPLICATION, 1, MIB);
      other.client.grant(GrantFixture.APPLICATION, 1, MIB);
      assertThat(fixture.used()).isGreaterThan(mine);
      other.close();
      fixture.awaitUsed(mine);

      output.commit(new long[0]);
    }
    assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 100));
  }

  @Test
  void whatACommitSaysOfItsSegmentsIsNotTrusted() {
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 0, new long[] {0, 50, 101});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 0, new long[] {0, 50, 99});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 0, new long[] {0, 60, 50});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 0, new long[] {0, 101, 100});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 0, new long[] {0, -5, 100});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 0, new long[] {1, 50, 100});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 0, new long[] {-1, 50, 100});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, 1, new long[] {0, 50, 100});
    assertCommitFails(StoreException.Code.INVALID_ARGUMENT, -1, new long[] {0, 50, 100});
  }

  private void assertCommitFails(StoreException.Code code, int first, long[] offsets) {
    ClientGrant grant = sealed(key(1).mapAttempt());
    CommitLayout.WireSegment segment =
        new CommitLayout.WireSegment(grant.terms().grant(), first, offsets);
    assertThatThrownBy(
            () ->
                writer.client.commit(
                    new CommitLayout.Request(key(1), 2, List.of(segment), new long[0])))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).as(e.toString()).isEqualTo(code));
    assertThat(fixture.store.find(key(1))).isEmpty();
    assertThat(fixture.used()).isEqualTo(before);
  }

  @Test
  void aRecordOfAnotherAttemptOrNoneIsNotCommitted() {
    ClientGrant other = sealed(77);
    ClientGrant none = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
    for (ClientGrant grant : List.of(other, none)) {
      CommitLayout.WireSegment segment =
          new CommitLayout.WireSegment(grant.terms().grant(), 0, new long[] {0, 50, 100});
      CommitLayout.Request request =
          new CommitLayout.Request(key(1), 2, List.of(segment), new long[0]);
      assertThatThrownBy(() -> writer.client.commit(request))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.CORRUPT));
      assertThatThrownBy(() -> writer.client.commit(request))
          .isInstanceOfSatisfying(StoreException.class, GrantContract::isNotGranted);
    }
    assertThat(fixture.used()).isEqualTo(before);
  }

  /** A grant in which a record of 100 bytes was published. */
  private ClientGrant sealed(long attempt) {
    RemoteMapOutputWriter output = writer.client.openMapOutput(key((int) attempt), 2);
    output.append(0, block(1, 0, 50), 0, 50);
    output.append(1, block(1, 1, 50), 0, 50);
    ClientGrant grant = output.openSegment().orElseThrow().grant();
    output.startRound();
    return grant;
  }

  private void assertRefused(ClientGrant grant, long position) {
    assertThat(writer.writeAnyway(grant, position, 64)).contains(RpcException.Code.REMOTE_ACCESS);
  }

  static void isRefused(RpcException e) {
    assertThat(e.code()).isEqualTo(RpcException.Code.REMOTE_ACCESS);
  }

  private static void isNotGranted(StoreException e) {
    assertThat(e.code()).isEqualTo(StoreException.Code.NOT_GRANTED);
  }

  private static void isInvalid(StoreException e) {
    assertThat(e.code()).isEqualTo(StoreException.Code.INVALID_ARGUMENT);
  }
}
