// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys, ranges, permissions, domains: ibv_reg_mr(3), ibv_alloc_pd(3). */
abstract class ProtectionConformance extends Conformance {
  private static final int SIZE = 1 << 16;
  private static final int GUARD = 4096;

  private ConnectedPair pair;
  private TestMemory local;
  private TestMemory remote;

  ProtectionConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @BeforeEach
  void connect() {
    pair = fabric().connect();
    local = pair.client().memory(SIZE).fill(1);
    remote = remote(Endpoint.ALL_ACCESS);
  }

  @Test
  void aWrongKeyEndsInRemoteAccessError() {
    expectRemoteAccessError(
        new SendRequest(1).write(1, remote.address(0), remote.region().remoteKey() ^ 0x0100));
  }

  @Test
  void aReadWithAWrongKeyEndsInRemoteAccessErrorAndBringsNothing() {
    expectRemoteAccessError(
        new SendRequest(1).read(1, remote.address(0), ~remote.region().remoteKey()));
    local.expect(0, SIZE, 1);
  }

  @Test
  void aWriteOneByteBehindTheRegionEndsInRemoteAccessError() {
    expectRemoteAccessError(remote.write(1, SIZE - 99));
  }

  @Test
  void aWriteOneByteBeforeTheRegionEndsInRemoteAccessError() {
    expectRemoteAccessError(remote.write(1, -1));
  }

  @Test
  void aReadOneByteBehindTheRegionEndsInRemoteAccessError() {
    expectRemoteAccessError(remote.read(1, SIZE - 99));
    local.expect(0, SIZE, 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE - 50, Long.MIN_VALUE, -50, 1L << 48, 1L << 62})
  void anAddressFarAwayEndsInRemoteAccessError(long distance) {
    expectRemoteAccessError(remote.write(1, distance));
  }

  @Test
  void aWriteWithImmediateOutsideTheRegionEndsInRemoteAccessError() {
    pair.server().postReceive(9);
    expectRemoteAccessError(remote.writeWithImmediate(1, SIZE, 5));
  }

  @Test
  void aRegionWithoutRemoteWriteCannotBeWritten() {
    TestMemory readable = remote(EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
    expectRemoteAccessError(readable.write(1, 0));
    readable.expect(0, SIZE, 2);
  }

  @Test
  void aRegionWithoutRemoteReadCannotBeRead() {
    TestMemory writable = remote(EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    expectRemoteAccessError(writable.read(1, 0));
    local.expect(0, SIZE, 1);
  }

  @Test
  void aRegionOfAnotherDomainCannotBeWritten() {
    Endpoint stranger = new Endpoint(fabric(), fabric().server(), attributes -> attributes);
    TestMemory foreign = stranger.memory(SIZE).fill(2);
    expectRemoteAccessError(foreign.write(1, 0));
    foreign.expect(0, SIZE, 2);
  }

  @Test
  void aDeregisteredRegionCannotBeWritten() {
    pair.client().run(local.addTo(remote.write(1, 0), 0, 100));
    remote.region().close();
    new Pattern(4).fill(remote.memory(), GUARD, SIZE);
    expectRemoteAccessError(remote.write(2, 0));
    assertThat(new Pattern(4).mismatch(remote.memory(), GUARD, SIZE)).isEqualTo(-1);
  }

  @Test
  void aKeyIsNotGivenOutAgainForTheNextRegionOfTheSameMemory() {
    remote.region().close();
    var again = pair.server().domain().register(remote.memory(), GUARD, SIZE, Endpoint.ALL_ACCESS);
    fabric().own(again);
    expectRemoteAccessError(remote.write(1, 0));
  }

  @Test
  void aWrongLocalKeyEndsInLocalProtectionError() {
    int wrong = local.region().localKey() ^ 0x0100;
    expectLocalProtectionError(remote.write(1, 0).buffer(local.address(0), 100, wrong));
    remote.expect(0, SIZE, 2);
  }

  @Test
  void aSourceOneByteBehindItsRegionEndsInLocalProtectionError() {
    pair.server().post(remote.receive(9, 0, SIZE));
    expectLocalProtectionError(local.send(1, SIZE - 99, 100));
  }

  @Test
  void aSourceOfAnotherDomainEndsInLocalProtectionError() {
    Endpoint stranger = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
    TestMemory foreign = stranger.memory(SIZE);
    expectLocalProtectionError(foreign.addTo(remote.write(1, 0), 0, 100));
    remote.expect(0, SIZE, 2);
  }

  @Test
  void aReadIntoMemoryThatIsNotLocallyWritableEndsInLocalProtectionError() {
    TestMemory readOnly = pair.client().memory(SIZE, EnumSet.noneOf(AccessFlag.class)).fill(3);
    expectLocalProtectionError(readOnly.addTo(remote.read(1, 0), 0, 100));
    readOnly.expect(0, SIZE, 3);
  }

  @Test
  void aReceiveIntoMemoryThatIsNotLocallyWritableFailsAtBothEnds() {
    TestMemory readOnly = pair.server().memory(SIZE, EnumSet.of(AccessFlag.REMOTE_READ)).fill(3);
    pair.server().post(readOnly.receive(9, 0, 100));
    pair.client().post(local.send(1, 0, 100));
    pair.client().sends().next().expectStatus(1, CompletionStatus.REMOTE_OPERATION_ERROR);
    pair.server().receives().next().expectStatus(9, CompletionStatus.LOCAL_PROTECTION_ERROR);
    pair.client().awaitState(State.ERROR);
    pair.server().awaitState(State.ERROR);
    readOnly.expect(0, SIZE, 3);
  }

  @Test
  void memoryThatIsOnlyReadLocallyIsAGoodSource() {
    TestMemory readOnly = pair.client().memory(SIZE, EnumSet.noneOf(AccessFlag.class)).fill(3);
    pair.client().run(readOnly.addTo(remote.write(1, 0), 0, SIZE));
    remote.expect(0, SIZE, 3);
  }

  @Test
  void badRegistrationsAreInvalidArguments() {
    var domain = pair.server().domain();
    var memory = remote.memory();
    long size = memory.size();
    Set<AccessFlag> all = Endpoint.ALL_ACCESS;
    expectFailure(() -> domain.register(memory, 0, size + 1, all), Code.INVALID_ARGUMENT);
    expectFailure(() -> domain.register(memory, size, 1, all), Code.INVALID_ARGUMENT);
    expectFailure(() -> domain.register(memory, -1, 10, all), Code.INVALID_ARGUMENT);
    expectFailure(() -> domain.register(memory, 1, Long.MAX_VALUE, all), Code.INVALID_ARGUMENT);
    expectFailure(() -> domain.register(memory, 0, 0, all), Code.INVALID_ARGUMENT);
    expectFailure(
        () -> domain.register(memory, 0, 10, EnumSet.of(AccessFlag.REMOTE_WRITE)),
        Code.INVALID_ARGUMENT);
  }

  @Test
  void aDomainInUseCannotBeClosed() {
    expectFailure(() -> pair.server().domain().close(), Code.INVALID_STATE);
    pair.client().run(local.addTo(remote.write(1, 0), 0, 100));
  }

  @Test
  void aRequestThatFailsWithoutBeingSignaledCompletesAllTheSame() {
    pair.client().post(local.addTo(remote.write(1, -1), 0, 100));
    pair.client().sends().next().expectStatus(1, CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(pair.client().sends().available()).isEmpty();
    pair.client().post(new SendRequest(1).send(2));
    pair.client().sends().next().expectStatus(2, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  /** Deregistering is final even while the peer's WRITEs, short and long, are on their way. */
  @ParameterizedTest
  @ValueSource(ints = {64, 3 << 20})
  void afterDeregisteringAHammeredRegionItsMemoryStaysAsItIs(int length) {
    for (int round = 0; round < 5; round++) {
      ConnectedPair victim = fabric().connect();
      TestMemory source = victim.client().memory(length).fill(round);
      TestMemory target = victim.server().memory(length);
      AtomicLong written = new AtomicLong();
      Future<Completion> hammer = fabric().async(() -> hammer(victim, source, target, written));
      long enough = 1L + round;
      Await.until("some WRITEs", () -> written.get() >= enough);
      target.region().close();
      Pattern mark = new Pattern(100 + round);
      mark.fill(target.memory(), 0, length);
      Completion last = Await.result("hammering", hammer);
      assertThat(last.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
      assertThat(mark.mismatch(target.memory(), 0, length)).isEqualTo(-1);
    }
  }

  /** Keeps two WRITEs outstanding until one fails, and returns that one. */
  private static Completion hammer(
      ConnectedPair victim, TestMemory source, TestMemory target, AtomicLong written) {
    int length = (int) source.region().length();
    victim.client().post(source.addTo(target.write(0, 0), 0, length).signaled());
    while (true) {
      victim.client().post(source.addTo(target.write(0, 0), 0, length).signaled());
      Completion done = victim.client().sends().next();
      if (done.status() != CompletionStatus.SUCCESS) {
        return done;
      }
      written.incrementAndGet();
    }
  }

  /** Remote memory filled with pattern 2, guards included. */
  private TestMemory remote(Set<AccessFlag> access) {
    TestMemory memory = pair.server().memory(GUARD, SIZE, GUARD, access);
    new Pattern(2).fill(memory.memory(), 0, GUARD);
    new Pattern(2).fill(memory.memory(), GUARD, SIZE);
    new Pattern(2).fill(memory.memory(), GUARD + SIZE, GUARD);
    return memory;
  }

  /** Runs a request of 100 bytes; what lies around the remote region must stay. */
  private void expectRemoteAccessError(SendRequest request) {
    pair.client().post(local.addTo(request, 0, 100).signaled());
    Completion done = pair.client().sends().next();
    done.expectStatus(request.requestId(), CompletionStatus.REMOTE_ACCESS_ERROR);
    pair.client().awaitState(State.ERROR);
    Pattern guard = new Pattern(2);
    assertThat(guard.mismatch(remote.memory(), 0, GUARD)).isEqualTo(-1);
    assertThat(guard.mismatch(remote.memory(), GUARD + SIZE, GUARD)).isEqualTo(-1);
  }

  private void expectLocalProtectionError(SendRequest request) {
    pair.client().post(request.signaled());
    Completion done = pair.client().sends().next();
    done.expectStatus(request.requestId(), CompletionStatus.LOCAL_PROTECTION_ERROR);
    pair.client().awaitState(State.ERROR);
  }
}
