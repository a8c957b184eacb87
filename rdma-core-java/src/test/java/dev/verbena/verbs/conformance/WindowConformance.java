// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory windows of type 2B: volume 1, section 10.6.7; ibv_alloc_mw(3), ibv_wr_bind_mw(3). */
abstract class WindowConformance extends WindowFixture {
  WindowConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void aBoundWindowOpensItsRangeAndItsParentStaysShut() {
    int key = bind(ALL);
    pair.client().run(write(1, FROM, LENGTH, key));
    assertThat(parent.bytes(FROM, LENGTH)).isEqualTo(pattern(1, 0, LENGTH));
    parent.fill(2);
    pair.client().run(read(2, FROM + 8, 100, key)).expectSuccess(2, Opcode.READ, 100);
    assertThat(local.bytes(0, 100)).isEqualTo(pattern(2, FROM + 8, 100));
    parent.putLong(FROM, 5);
    SendRequest add = new SendRequest(1).fetchAndAdd(3, parent.address(FROM), key, 2);
    pair.client().run(local.addTo(add, 0, 8));
    assertThat(parent.getLong(FROM)).isEqualTo(7);
    expectRefused(write(4, FROM, 8, parent.region().remoteKey()));
  }

  @Test
  void nothingOutsideOfTheWindowIsOpen() {
    needs(Ability.CHECKS_WINDOW_BOUNDS);
    for (long offset : new long[] {FROM - 1, FROM + LENGTH - 99, 0}) {
      expectRefused(write(1, offset, 100, bind(ALL)));
      window.close();
      connect();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {SIZE, SIZE - 99, -1, 1L << 40})
  void nothingOutsideOfTheRegionOfAWindowIsOpen(long offset) {
    expectRefused(write(1, offset, 100, bind(ALL)));
  }

  @Test
  void aWindowForReadsTakesNoWrites() {
    int key = bind(EnumSet.of(AccessFlag.REMOTE_READ));
    pair.client().run(read(1, FROM, 100, key));
    expectRefused(write(2, FROM, 100, key));
  }

  @Test
  void aWindowForWritesGivesNoReadsAndNoAtomics() {
    int key = bind(EnumSet.of(AccessFlag.REMOTE_WRITE));
    pair.client().run(write(1, FROM, 100, key));
    SendRequest add = new SendRequest(1).fetchAndAdd(2, parent.address(FROM), key, 1);
    expectRefused(local.addTo(add, 0, 8));
  }

  @Test
  void aKeyIsShutBeforeItsBind() {
    expectRefused(write(1, FROM, 8, window.remoteKey()));
  }

  @Test
  void aWindowOpensToThePeerOfItsQueuePairOnly() {
    int key = bind(ALL);
    ConnectedPair other = fabric().connectInto(pair.server().domain());
    TestMemory source = other.client().memory(SIZE);
    SendRequest write = new SendRequest(1).write(1, parent.address(FROM), key);
    other.client().post(source.addTo(write, 0, 8).signaled());
    other.client().sends().next().expectStatus(1, CompletionStatus.REMOTE_ACCESS_ERROR);
    parent.expect(0, SIZE, 2);
    pair.client().run(write(2, FROM, 8, key));
  }

  @Test
  void aSendBehindABindMayCarryTheKey() {
    TestMemory inbox = pair.client().memory(8);
    TestMemory outbox = pair.server().memory(8);
    for (int round = 0; round < 50; round++) {
      pair.client().post(inbox.receive(round, 0, 8));
      int key = window.renewKey();
      outbox.putLong(0, key);
      pair.server().post(bindRequest(ALL));
      pair.server().post(outbox.send(2, 0, 8));
      pair.client().receives().next().expectSuccess(round, Opcode.RECEIVE, 8);
      pair.client().run(write(3, FROM, 8, (int) inbox.getLong(0)));
      pair.server().run(new SendRequest(1).localInvalidate(4, key));
    }
  }

  @Test
  void bindsAroundASendThatFindsNoReceiveAreDoneOnce() {
    needs(Ability.RUNS_BINDS_ONCE);
    for (int round = 0; round < 20; round++) {
      int key = window.renewKey();
      pair.server().post(new SendRequest(1).send(1).signaled());
      pair.server().post(bindRequest(ALL).signaled());
      pair.server().post(new SendRequest(1).send(3).signaled());
      pair.server().post(new SendRequest(1).localInvalidate(4, key).signaled());
      assertThat(pair.server().sends().available()).isEmpty();
      pair.client().postReceive(round);
      pair.server().sends().next().expectSuccess(1, Opcode.SEND);
      pair.server().sends().next().expectSuccess(1, Opcode.BIND_WINDOW);
      assertThat(pair.server().sends().available()).isEmpty();
      pair.client().run(write(2, FROM, 8, key));
      pair.client().postReceive(round);
      pair.server().sends().next().expectSuccess(3, Opcode.SEND);
      pair.server().sends().next().expectSuccess(4, Opcode.LOCAL_INVALIDATE);
      pair.client().receives().next(2);
    }
  }

  @Test
  void afterALocalInvalidateALateWriteEndsInRemoteAccessError() {
    int key = bind(ALL);
    pair.client().run(write(1, FROM, 100, key));
    pair.server()
        .run(new SendRequest(1).localInvalidate(2, key))
        .expectSuccess(2, Opcode.LOCAL_INVALIDATE);
    parent.fill(3);
    expectRefused(write(3, FROM, 100, key));
  }

  @Test
  void aSendWithInvalidateEndsTheWindowAndTellsItsKey() {
    TestMemory inbox = pair.server().memory(100);
    int key = bind(ALL);
    pair.server().post(inbox.receive(9, 0, 100));
    SendRequest send = local.addTo(new SendRequest(1).sendWithInvalidate(1, key), 0, 100);
    pair.client().run(send).expectSuccess(1, Opcode.SEND);
    Completion received = pair.server().receives().next();
    received.expectSuccess(9, Opcode.RECEIVE, 100);
    assertThat(received.invalidatedKey()).hasValue(key);
    assertThat(received.immediate()).isEmpty();
    inbox.expect(0, 100, 1);
    expectRefused(write(2, FROM, 100, key));
  }

  @Test
  void otherReceivesTellNoKey() {
    pair.server().postReceive(1);
    pair.server().postReceive(2);
    pair.client().post(new SendRequest(1).send(1));
    pair.client().run(new SendRequest(1).sendWithImmediate(2, 77));
    assertThat(pair.server().receives().next().invalidatedKey()).isEmpty();
    Completion second = pair.server().receives().next();
    assertThat(second.invalidatedKey()).isEmpty();
    assertThat(second.immediate()).hasValue(77);
  }

  @Test
  void aWindowCanBeBoundAgainUnderANewKeyAndTheOldOneStaysShut() {
    int old = bind(ALL);
    pair.server().run(new SendRequest(1).localInvalidate(1, old));
    int key = window.renewKey();
    assertThat(key).isNotEqualTo(old);
    bind(ALL);
    pair.client().run(write(2, FROM, 100, key));
    expectRefused(write(3, FROM, 100, old));
  }

  @Test
  void aWindowMovesToAnotherQueuePairOnlyByInvalidation() {
    int first = bind(ALL);
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).sendWithInvalidate(1, first));
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE);
    int second = window.renewKey();
    ConnectedPair other = fabric().connectInto(pair.server().domain());
    other.server().run(bindRequest(ALL));
    TestMemory source = other.client().memory(8);
    SendRequest write = new SendRequest(1).write(2, parent.address(FROM), second);
    other.client().run(source.addTo(write, 0, 8));
    expectRefused(write(3, FROM, 8, second));
  }

  @Test
  void severalWindowsOfOneRegionAreIndependent() {
    int first = bind(EnumSet.of(AccessFlag.REMOTE_READ));
    try (MemoryWindow other = pair.server().domain().allocateWindow()) {
      pair.server()
          .run(
              new SendRequest(1)
                  .bindWindow(2, other, parent.region(), parent.address(FROM), 100, ALL));
      pair.client().run(write(3, FROM, 100, other.remoteKey()));
      pair.server().run(new SendRequest(1).localInvalidate(4, first));
      pair.client().run(write(5, FROM, 100, other.remoteKey()));
    }
    expectRefused(read(6, FROM, 8, first));
  }

  @Test
  void aRegionWithBoundWindowsCannotBeDeregistered() {
    int key = bind(ALL);
    expectFailure(() -> parent.region().close(), Code.INVALID_STATE);
    pair.client().run(write(1, FROM, 100, key));
    pair.server().run(new SendRequest(1).localInvalidate(2, key));
    parent.region().close();
    expectRefused(write(3, FROM, 100, key));
  }

  @Test
  void aRegionWhoseWindowThePeerInvalidatedCanBeDeregistered() {
    int key = bind(ALL);
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).sendWithInvalidate(1, key));
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE);
    parent.region().close();
  }

  @Test
  void deallocatingABoundWindowEndsIt() {
    int key = bind(ALL);
    pair.client().run(write(1, FROM, 100, key));
    window.close();
    window.close();
    parent.fill(3);
    expectRefused(write(2, FROM, 100, key));
    parent.region().close();
  }

  @Test
  void aWindowOfABrokenQueuePairEndsByDeallocation() {
    int key = bind(ALL);
    pair.client().queuePair().disconnect();
    pair.server().awaitState(State.ERROR);
    pair.server().post(new SendRequest(1).localInvalidate(2, key));
    pair.server().sends().next().expectStatus(2, CompletionStatus.WORK_REQUEST_FLUSHED);
    expectFailure(() -> parent.region().close(), Code.INVALID_STATE);
    window.close();
    parent.region().close();
  }

  @Test
  void aWindowOfAClosedQueuePairEndsByDeallocation() {
    bind(ALL);
    pair.server().queuePair().close();
    expectFailure(() -> parent.region().close(), Code.INVALID_STATE);
    window.close();
    parent.region().close();
  }

  @Test
  void aDomainWithAWindowCannotBeClosed() {
    var domain = fabric().server().createProtectionDomain();
    MemoryWindow own = domain.allocateWindow();
    expectFailure(domain::close, Code.INVALID_STATE);
    own.close();
    domain.close();
  }

  @Test
  void aWindowIsFlushedAsItsParentPersists() {
    needs(Ability.HAS_PERSISTENT_MEMORY);
    TestPersistence persistence = fabric().persistence(SIZE, DurabilityMethod.MSYNC);
    TestMemory durable = pair.server().persistentMemory(persistence, 0, SIZE, PARENT);
    Set<AccessFlag> access = EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_PERSISTENT);
    try (MemoryWindow own = pair.server().domain().allocateWindow()) {
      pair.server()
          .run(
              new SendRequest(1)
                  .bindWindow(1, own, durable.region(), durable.address(FROM), LENGTH, access));
      SendRequest range =
          new SendRequest(1)
              .flush(
                  2,
                  durable.address(FROM + 10),
                  own.remoteKey(),
                  100,
                  FlushType.PERSISTENT,
                  FlushLevel.RANGE);
      pair.client().run(range);
      SendRequest all =
          new SendRequest(1)
              .flush(3, 0, own.remoteKey(), 0, FlushType.PERSISTENT, FlushLevel.REGION);
      pair.client().run(all);
    }
    expectPersisted(
        persistence,
        new TestPersistence.Persisted(FROM + 10, 100, 0),
        new TestPersistence.Persisted(FROM, LENGTH, 0));
  }

  @Test
  void aMappingThroughAWindowEndsWithIt() {
    int key = bind(ALL);
    Optional<RemoteMapping> mapping =
        pair.client().queuePair().mapRemote(parent.address(FROM), LENGTH, key);
    assertThat(mapping.isPresent()).isEqualTo(fabric().client().attributes().canMapRemote());
    mapping.ifPresent(
        mapped -> {
          ByteBuffer target = ByteBuffer.allocate(100);
          mapped.read(0, target, 0, 100);
          assertThat(target.array()).isEqualTo(pattern(2, FROM, 100));
          pair.server().run(new SendRequest(1).localInvalidate(2, key));
          expectFailure(() -> mapped.read(0, target, 0, 100), Code.REJECTED);
        });
  }

  /** An invalidate is final even while the peer's WRITEs, short and long, are on their way. */
  @ParameterizedTest
  @ValueSource(ints = {64, 3 << 20})
  void afterInvalidatingAHammeredWindowItsMemoryStaysAsItIs(int length) {
    for (int round = 0; round < 5; round++) {
      ConnectedPair victim = fabric().connect();
      TestMemory source = victim.client().memory(length).fill(round);
      TestMemory target = victim.server().memory(length, PARENT);
      MemoryWindow own = fabric().own(victim.server().domain().allocateWindow());
      victim
          .server()
          .run(
              new SendRequest(1)
                  .bindWindow(1, own, target.region(), target.address(0), length, ALL));
      int key = own.remoteKey();
      AtomicLong written = new AtomicLong();
      Future<Completion> hammer =
          fabric().async(() -> hammer(victim, source, target.address(0), key, written));
      long enough = 1L + round;
      Await.until("some WRITEs", () -> written.get() >= enough);
      victim.server().post(new SendRequest(1).localInvalidate(2, key).signaled());
      if (victim.server().sends().next().status() != CompletionStatus.SUCCESS) {
        // The refused WRITE broke the connection first: then the window ends by deallocation.
        own.close();
      }
      Pattern mark = new Pattern(100 + round);
      mark.fill(target.memory(), 0, length);
      Completion last = Await.result("hammering", hammer);
      assertThat(last.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
      assertThat(mark.mismatch(target.memory(), 0, length)).isEqualTo(-1);
    }
  }

  /** Keeps two WRITEs outstanding until one fails, and returns that one. */
  private static Completion hammer(
      ConnectedPair victim, TestMemory source, long address, int key, AtomicLong written) {
    int length = (int) source.region().length();
    SendRequest request = new SendRequest(1);
    victim.client().post(source.addTo(request.write(0, address, key), 0, length).signaled());
    while (true) {
      victim.client().post(source.addTo(request.write(0, address, key), 0, length).signaled());
      Completion done = victim.client().sends().next();
      if (done.status() != CompletionStatus.SUCCESS) {
        return done;
      }
      written.incrementAndGet();
    }
  }
}
