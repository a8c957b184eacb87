// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FLUSH and ATOMIC_WRITE: volume 1 release 1.5, annex A19; ibv_wr_flush(3). */
abstract class FlushConformance extends Conformance {
  private static final int BEFORE = 4096;
  private static final int SIZE = 1 << 16;
  private static final Set<AccessFlag> FLUSHABLE =
      EnumSet.of(
          AccessFlag.LOCAL_WRITE,
          AccessFlag.REMOTE_WRITE,
          AccessFlag.REMOTE_READ,
          AccessFlag.FLUSH_GLOBAL,
          AccessFlag.FLUSH_PERSISTENT);

  private static final Set<DeviceCapability> NEEDED =
      EnumSet.of(
          DeviceCapability.FLUSH_GLOBAL,
          DeviceCapability.FLUSH_PERSISTENT,
          DeviceCapability.ATOMIC_WRITE);

  private ConnectedPair pair;
  private TestMemory local;
  private TestPersistence persistence;
  private TestMemory remote;

  FlushConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @BeforeEach
  void connect() {
    for (DeviceCapability needed : NEEDED) {
      assumeTrue(fabric().server().attributes().has(needed), "the device has " + needed);
    }
    needs(Ability.HAS_PERSISTENT_MEMORY);
    pair = fabric().connect();
    local = pair.client().memory(SIZE).fill(1);
    persistence = persistence(DurabilityMethod.MSYNC);
    remote = pair.server().persistentMemory(persistence, BEFORE, SIZE, FLUSHABLE);
  }

  @Test
  void aPersistentFlushPersistsTheRangeThatItNames() {
    pair.client().post(local.addTo(remote.write(1, 100), 0, 1000));
    pair.client().run(remote.flush(2, 100, 1000, FlushType.PERSISTENT));
    remote.expect(100, 1000, 1);
    expectPersisted(persistence, new TestPersistence.Persisted(BEFORE + 100, 1000, 0));
  }

  @Test
  void aPersistentFlushOfTheRegionPersistsAllOfIt() {
    pair.client().run(remote.flushAll(1, FlushType.PERSISTENT));
    expectPersisted(persistence, new TestPersistence.Persisted(BEFORE, SIZE, 0));
  }

  @ParameterizedTest
  @EnumSource(FlushType.class)
  void manyFlushesRunOneAfterAnother(FlushType type) {
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 50; i++) {
        pair.client().post(local.addTo(remote.write(i, i), 0, 10));
        pair.client().post(remote.flush(i, i, 10, type).signaled());
      }
      for (int i = 0; i < 50; i++) {
        pair.client().sends().next().expectSuccess(i, Opcode.FLUSH);
      }
    }
    boolean asks = type == FlushType.PERSISTENT && has(Ability.PERSISTS_BY_SOFTWARE);
    assertThat(persistence.calls()).hasSize(asks ? 250 : 0);
  }

  @Test
  void aFlushCompletesOnlyWhenItsMemoryIsPersisted() {
    needs(Ability.PERSISTS_BY_SOFTWARE);
    persistence.holdUp();
    pair.client().post(local.addTo(remote.write(1, 0), 0, 100).signaled());
    pair.client().post(remote.flush(2, 0, 100, FlushType.PERSISTENT).signaled());
    pair.client().sends().next().expectSuccess(1, Opcode.WRITE);
    persistence.awaitEntered(1);
    assertThat(pair.client().sends().available()).isEmpty();
    persistence.letGo();
    pair.client().sends().next().expectSuccess(2, Opcode.FLUSH);
  }

  @Test
  void aRecordIsPersistedBeforeItsPublishWordIsThere() {
    TestMemory all =
        pair.server().persistentMemory(persistence, 0, persistence.memory().size(), FLUSHABLE);
    SendRequest[] append = {
      local.addTo(all.write(1, 64), 0, 1000),
      all.flush(2, 64, 1000, FlushType.PERSISTENT),
      all.atomicWrite(3, 0, 0x1122334455667788L),
      all.flush(4, 0, 8, FlushType.PERSISTENT).signaled()
    };
    assertThat(pair.client().queuePair().postSend(append, 4)).isEqualTo(4);
    pair.client().sends().next().expectSuccess(4, Opcode.FLUSH);
    expectPersisted(
        persistence,
        new TestPersistence.Persisted(64, 1000, 0),
        new TestPersistence.Persisted(0, 8, 0x1122334455667788L));
    assertThat(all.getLong(0)).isEqualTo(0x1122334455667788L);
    all.expect(64, 1000, 1);
  }

  @Test
  void nothingOvertakesAFlush() {
    TestMemory inbox = pair.server().memory(100);
    pair.server().post(inbox.receive(9, 0, 100));
    persistence.holdUp();
    pair.client().post(remote.flush(1, 0, 8, FlushType.PERSISTENT).signaled());
    pair.client().post(remote.atomicWrite(2, 0, 77).signaled());
    pair.client().post(local.addTo(remote.write(3, 8), 0, 8).signaled());
    pair.client().post(local.send(4, 0, 8).signaled());
    if (has(Ability.PERSISTS_BY_SOFTWARE)) {
      persistence.awaitEntered(1);
      assertThat(pair.client().sends().available()).isEmpty();
      assertThat(pair.server().receives().available()).isEmpty();
      assertThat(remote.getLong(0)).isZero();
      assertThat(remote.getLong(8)).isZero();
    }
    persistence.letGo();
    pair.client().sends().next().expectSuccess(1, Opcode.FLUSH);
    pair.client().sends().next().expectSuccess(2, Opcode.ATOMIC_WRITE);
    pair.client().sends().next().expectSuccess(3, Opcode.WRITE);
    pair.client().sends().next().expectSuccess(4, Opcode.SEND);
    pair.server().receives().next().expectSuccess(9, Opcode.RECEIVE, 8);
    assertThat(remote.getLong(0)).isEqualTo(77);
  }

  @Test
  void otherConnectionsGoOnWhileOneFlushIsPersisted() {
    ConnectedPair other = fabric().connect();
    persistence.holdUp();
    pair.client().post(remote.flushAll(1, FlushType.PERSISTENT).signaled());
    if (has(Ability.PERSISTS_BY_SOFTWARE)) {
      persistence.awaitEntered(1);
    }
    TestMemory target = other.server().memory(SIZE);
    TestMemory source = other.client().memory(SIZE).fill(3);
    other.client().run(source.addTo(target.write(2, 0), 0, SIZE));
    target.expect(0, SIZE, 3);
    persistence.letGo();
    pair.client().sends().next().expectSuccess(1, Opcode.FLUSH);
  }

  @Test
  void aGlobalFlushPersistsNothing() {
    pair.client().post(local.addTo(remote.write(1, 0), 0, 1000));
    pair.client().run(remote.flush(2, 0, 1000, FlushType.GLOBAL));
    pair.client().run(remote.flushAll(3, FlushType.GLOBAL));
    remote.expect(0, 1000, 1);
    assertThat(persistence.calls()).isEmpty();
  }

  @Test
  void memoryWithoutAMethodIsPersistentAsItIs() {
    TestPersistence none = persistence(DurabilityMethod.NONE);
    TestMemory plain = pair.server().persistentMemory(none, 0, SIZE, FLUSHABLE);
    pair.client().post(local.addTo(plain.write(1, 0), 0, 1000));
    pair.client().run(plain.flush(2, 0, 1000, FlushType.PERSISTENT));
    plain.expect(0, 1000, 1);
  }

  @Test
  void aFlushOfNoBytesSucceeds() {
    pair.client().run(remote.flush(1, SIZE, 0, FlushType.PERSISTENT));
    pair.client().run(remote.flush(2, 0, 0, FlushType.GLOBAL));
  }

  @ParameterizedTest
  @EnumSource(FlushType.class)
  void aRegionMustAllowTheTypeOfAFlush(FlushType type) {
    AccessFlag missing =
        type == FlushType.GLOBAL ? AccessFlag.FLUSH_GLOBAL : AccessFlag.FLUSH_PERSISTENT;
    Set<AccessFlag> access = EnumSet.copyOf(FLUSHABLE);
    access.remove(missing);
    TestMemory other = pair.server().persistentMemory(persistence, BEFORE, SIZE, access);
    expectFailed(other.flush(1, 0, 8, type), CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(persistence.calls()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(FlushType.class)
  void aFlushBehindTheRegionEndsInRemoteAccessError(FlushType type) {
    expectFailed(remote.flush(1, 1, SIZE, type), CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(persistence.calls()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(FlushLevel.class)
  void aFlushUnderAWrongKeyEndsInRemoteAccessError(FlushLevel level) {
    int wrong = remote.region().remoteKey() ^ 0x0100;
    expectFailed(
        new SendRequest(1).flush(1, remote.address(0), wrong, 8, FlushType.PERSISTENT, level),
        CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(persistence.calls()).isEmpty();
  }

  @Test
  void memoryOfAnotherDomainCannotBeFlushed() {
    Endpoint stranger = new Endpoint(fabric(), fabric().server(), attributes -> attributes);
    TestMemory foreign = stranger.persistentMemory(persistence, 0, SIZE, FLUSHABLE);
    expectFailed(
        foreign.flush(1, 0, 8, FlushType.PERSISTENT), CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(persistence.calls()).isEmpty();
  }

  @Test
  void aFlushWhoseMemoryCannotBePersistedEndsInRemoteOperationError() {
    needs(Ability.PERSISTS_BY_SOFTWARE);
    persistence.fail();
    pair.client().post(remote.flush(1, 0, 8, FlushType.PERSISTENT).signaled());
    pair.client().post(remote.atomicWrite(2, 0, 5).signaled());
    pair.client().sends().next().expectStatus(1, CompletionStatus.REMOTE_OPERATION_ERROR);
    pair.client().sends().next().expectStatus(2, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(remote.getLong(0)).isZero();
    pair.server().awaitState(State.ERROR);
  }

  @Test
  void plainMemoryCannotBeRegisteredForPersistentFlushes() {
    var domain = pair.server().domain();
    var memory = fabric().own(fabric().server().allocate(SIZE));
    expectFailure(() -> domain.register(memory, 0, SIZE, FLUSHABLE), Code.INVALID_ARGUMENT);
  }

  @Test
  void deregisteringWaitsForAFlushThatIsBeingPersisted() {
    needs(Ability.PERSISTS_BY_SOFTWARE);
    persistence.holdUp();
    pair.client().post(remote.flush(1, 0, 8, FlushType.PERSISTENT).signaled());
    persistence.awaitEntered(1);
    Future<?> closing = fabric().async(() -> deregister(remote));
    awaitRevoked();
    assertThat(closing).isNotDone();
    persistence.letGo();
    Await.result("deregistering", closing);
    pair.client().sends().next().expectSuccess(1, Opcode.FLUSH);
  }

  @Test
  void aFlushUnderWayEndsWhenThePeerDisconnects() {
    needs(Ability.PERSISTS_BY_SOFTWARE);
    persistence.holdUp();
    pair.client().post(remote.flush(1, 0, 8, FlushType.PERSISTENT).signaled());
    persistence.awaitEntered(1);
    pair.server().queuePair().disconnect();
    Completion done = pair.client().sends().next();
    assertThat(done.status()).isNotEqualTo(CompletionStatus.SUCCESS);
    persistence.letGo();
    pair.client().awaitState(State.ERROR);
  }

  @Test
  void flushAndAtomicWriteTakeNoData() {
    var queuePair = pair.client().queuePair();
    SendRequest flush = local.addTo(remote.flush(1, 0, 8, FlushType.GLOBAL), 0, 8);
    expectFailure(() -> queuePair.postSend(flush), Code.INVALID_ARGUMENT);
    SendRequest write = local.addTo(remote.atomicWrite(1, 0, 8), 0, 8);
    expectFailure(() -> queuePair.postSend(write), Code.INVALID_ARGUMENT);
    SendRequest negative = remote.flush(1, 0, -1, FlushType.GLOBAL);
    expectFailure(() -> queuePair.postSend(negative), Code.INVALID_ARGUMENT);
  }

  @Test
  void anAtomicWriteChangesItsQwordOnly() {
    TestMemory plain = pair.server().memory(SIZE).fill(2);
    pair.client().run(plain.atomicWrite(1, 64, 0x0102030405060708L));
    assertThat(plain.getLong(64)).isEqualTo(0x0102030405060708L);
    plain.putLong(64, 0);
    TestMemory same = pair.server().memory(SIZE).fill(2);
    same.putLong(64, 0);
    assertThat(plain.bytes(0, SIZE)).isEqualTo(same.bytes(0, SIZE));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 7})
  void aMisalignedAtomicWriteIsAnInvalidRequest(int off) {
    expectFailed(remote.atomicWrite(1, off, 1), CompletionStatus.REMOTE_INVALID_REQUEST);
  }

  @Test
  void anAtomicWriteNeedsRemoteWrite() {
    TestMemory readable =
        pair.server()
            .memory(SIZE, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC))
            .fill(2);
    expectFailed(readable.atomicWrite(1, 0, 1), CompletionStatus.REMOTE_ACCESS_ERROR);
    readable.expect(0, SIZE, 2);
  }

  @Test
  void aReaderNeverSeesHalfAnAtomicWrite() {
    TestMemory plain = pair.server().memory(64);
    AtomicBoolean done = new AtomicBoolean();
    Future<Boolean> reader =
        fabric()
            .async(
                () -> {
                  while (!done.get()) {
                    long seen = plain.getLong(0);
                    if (seen != 0 && seen != -1) {
                      return false;
                    }
                  }
                  return true;
                });
    for (int i = 0; i < 2000; i++) {
      pair.client().run(plain.atomicWrite(i, 0, i % 2 == 0 ? -1 : 0));
    }
    done.set(true);
    assertThat(Await.result("reading", reader)).isTrue();
  }

  private static Void deregister(TestMemory memory) {
    memory.region().close();
    return null;
  }

  /** Reads through another connection until the key of {@link #remote} opens nothing any more. */
  private void awaitRevoked() {
    ConnectedPair probe = fabric().connectInto(pair.server().domain());
    TestMemory landing = probe.client().memory(8);
    Completion done;
    do {
      probe.client().post(landing.addTo(remote.read(1, 0), 0, 8).signaled());
      done = probe.client().sends().next();
    } while (done.status() == CompletionStatus.SUCCESS);
    done.expectStatus(1, CompletionStatus.REMOTE_ACCESS_ERROR);
  }

  private TestPersistence persistence(DurabilityMethod method) {
    return fabric().persistence(2L * BEFORE + SIZE, method);
  }

  private void expectFailed(SendRequest request, CompletionStatus status) {
    pair.client().post(request.signaled());
    pair.client().sends().next().expectStatus(request.requestId(), status);
    pair.client().awaitState(State.ERROR);
    pair.server().awaitState(State.ERROR);
  }
}
