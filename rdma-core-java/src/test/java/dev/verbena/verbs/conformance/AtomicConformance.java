// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare and swap, fetch and add: volume 1, section 9.4.5 and ibv_post_send(3). */
abstract class AtomicConformance extends Conformance {
  private static final int SIZE = 1 << 12;
  private static final int MEBIBYTE = 1 << 20;

  private ConnectedPair pair;
  private TestMemory local;
  private TestMemory remote;

  AtomicConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @BeforeEach
  void connect() {
    pair = fabric().connect();
    local = pair.client().memory(SIZE).fill(1);
    remote = pair.server().memory(SIZE).fill(2);
  }

  @Test
  void compareAndSwapPutsTheNewValueInAndBringsTheOldOne() {
    remote.putLong(64, 0x0102030405060708L);
    run(remote.compareAndSwap(1, 64, 0x0102030405060708L, -77));
    assertThat(remote.getLong(64)).isEqualTo(-77);
    assertThat(local.getLong(0)).isEqualTo(0x0102030405060708L);
    onlyChanged(64);
  }

  @Test
  void compareAndSwapLeavesAnotherValueAsItIsAndBringsIt() {
    remote.putLong(64, 5);
    run(remote.compareAndSwap(1, 64, 6, 7));
    assertThat(remote.getLong(64)).isEqualTo(5);
    assertThat(local.getLong(0)).isEqualTo(5);
  }

  @Test
  void fetchAndAddAddsAndBringsTheOldValue() {
    remote.putLong(64, 40);
    run(remote.fetchAndAdd(1, 64, 2));
    assertThat(remote.getLong(64)).isEqualTo(42);
    assertThat(local.getLong(0)).isEqualTo(40);
    onlyChanged(64);
  }

  @Test
  void fetchAndAddWrapsAround() {
    remote.putLong(64, Long.MAX_VALUE);
    run(remote.fetchAndAdd(1, 64, 2));
    assertThat(remote.getLong(64)).isEqualTo(Long.MIN_VALUE + 1);
    run(remote.fetchAndAdd(1, 64, -2));
    assertThat(remote.getLong(64)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void theFirstAndTheLastQwordOfARegionServe() {
    remote.putLong(0, 1);
    remote.putLong(SIZE - 8, 2);
    run(remote.fetchAndAdd(1, 0, 10));
    assertThat(local.getLong(0)).isEqualTo(1);
    run(remote.compareAndSwap(2, SIZE - 8, 2, 20));
    assertThat(remote.getLong(0)).isEqualTo(11);
    assertThat(remote.getLong(SIZE - 8)).isEqualTo(20);
  }

  @Test
  void whatWasFoundIsScatteredOverTheBuffersAndNothingElseIsTouched() {
    remote.putLong(64, 0x1122334455667788L);
    SendRequest request = remote.fetchAndAdd(1, 64, 1);
    local.addTo(request, 101, 3);
    local.addTo(request, 301, 0);
    local.addTo(request, 201, 5);
    pair.client().run(request).expectSuccess(1, Opcode.FETCH_AND_ADD, 8);
    ByteBuffer found = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
    found.putLong(0, 0x1122334455667788L);
    assertThat(local.bytes(101, 3)).isEqualTo(slice(found, 0, 3));
    assertThat(local.bytes(201, 5)).isEqualTo(slice(found, 3, 5));
    assertThat(local.bytes(104, 97)).isEqualTo(new Pattern(1).bytes(104, 97));
    assertThat(local.bytes(206, 800)).isEqualTo(new Pattern(1).bytes(206, 800));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 7})
  void aMisalignedAddressIsAnInvalidRequest(int off) {
    expectFailed(remote.fetchAndAdd(1, 64 + off, 1), CompletionStatus.REMOTE_INVALID_REQUEST);
  }

  @Test
  void aMisalignedCompareAndSwapIsAnInvalidRequest() {
    expectFailed(
        remote.compareAndSwap(1, 12, remote.getLong(16), 1),
        CompletionStatus.REMOTE_INVALID_REQUEST);
  }

  @Test
  void aRegionWithoutRemoteAtomicRefusesAtomics() {
    Set<AccessFlag> access = EnumSet.copyOf(Endpoint.ALL_ACCESS);
    access.remove(AccessFlag.REMOTE_ATOMIC);
    TestMemory plain = pair.server().memory(SIZE, access).fill(2);
    expectFailed(plain.fetchAndAdd(1, 0, 1), CompletionStatus.REMOTE_ACCESS_ERROR);
    plain.expect(0, SIZE, 2);
  }

  @Test
  void aRegionForAtomicsOnlyTakesNoWrites() {
    TestMemory atomic =
        pair.server()
            .memory(SIZE, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC))
            .fill(2);
    pair.client().run(local.addTo(atomic.fetchAndAdd(1, 8, 0), 0, 8));
    expectFailed(atomic.write(2, 0), CompletionStatus.REMOTE_ACCESS_ERROR);
    atomic.expect(0, SIZE, 2);
  }

  @ParameterizedTest
  @ValueSource(longs = {-8, SIZE, SIZE - 7, 1L << 40})
  void aQwordThatIsNotAllInsideTheRegionEndsInRemoteAccessError(long offset) {
    expectFailed(remote.fetchAndAdd(1, offset, 1), CompletionStatus.REMOTE_ACCESS_ERROR);
  }

  @Test
  void aWrongKeyEndsInRemoteAccessError() {
    int wrong = remote.region().remoteKey() ^ 0x0100;
    expectFailed(
        new SendRequest(1).compareAndSwap(1, remote.address(0), wrong, 1, 2),
        CompletionStatus.REMOTE_ACCESS_ERROR);
  }

  @Test
  void aRegionOfAnotherDomainRefusesAtomics() {
    Endpoint stranger = new Endpoint(fabric(), fabric().server(), attributes -> attributes);
    TestMemory foreign = stranger.memory(SIZE).fill(2);
    expectFailed(foreign.fetchAndAdd(1, 0, 1), CompletionStatus.REMOTE_ACCESS_ERROR);
    foreign.expect(0, SIZE, 2);
  }

  @Test
  void aDeregisteredRegionRefusesAtomics() {
    run(remote.fetchAndAdd(1, 0, 1));
    remote.region().close();
    remote.memory().putLong(0, 9);
    pair.client().post(local.addTo(remote.fetchAndAdd(2, 0, 1), 0, 8).signaled());
    pair.client().sends().next().expectStatus(2, CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(remote.memory().getLong(0)).isEqualTo(9);
  }

  @Test
  void anAtomicWhoseBufferCannotBeWrittenDoesNotRun() {
    TestMemory readOnly = pair.client().memory(SIZE, EnumSet.noneOf(AccessFlag.class)).fill(3);
    SendRequest request = local.addTo(remote.fetchAndAdd(1, 0, 1), 0, 4);
    pair.client().post(readOnly.addTo(request, 0, 4).signaled());
    pair.client().sends().next().expectStatus(1, CompletionStatus.LOCAL_PROTECTION_ERROR);
    pair.client().awaitState(State.ERROR);
    remote.expect(0, SIZE, 2);
    readOnly.expect(0, SIZE, 3);
  }

  @Test
  void anAtomicNeedsEightBytesOfBuffersAndTakesNoInlineData() {
    var queuePair = pair.client().queuePair();
    SendRequest shortOne = local.addTo(remote.fetchAndAdd(1, 0, 1), 0, 7);
    expectFailure(() -> queuePair.postSend(shortOne), Code.INVALID_ARGUMENT);
    SendRequest longOne = local.addTo(remote.compareAndSwap(1, 0, 1, 1), 0, 16);
    expectFailure(() -> queuePair.postSend(longOne), Code.INVALID_ARGUMENT);
    expectFailure(() -> queuePair.postSend(remote.fetchAndAdd(1, 0, 1)), Code.INVALID_ARGUMENT);
    SendRequest inline = remote.fetchAndAdd(1, 0, 1).inline(ByteBuffer.allocate(8), 0, 8);
    expectFailure(() -> queuePair.postSend(inline), Code.INVALID_ARGUMENT);
    remote.expect(0, SIZE, 2);
    remote.putLong(0, 3);
    run(remote.fetchAndAdd(1, 0, 1));
    assertThat(local.getLong(0)).isEqualTo(3);
  }

  @Test
  void anAtomicSeesWhatAnEarlierWriteBroughtAndALaterReadSeesTheAtomic() {
    for (int round = 0; round < 200; round++) {
      local.putLong(0, round);
      pair.client().post(local.addTo(remote.write(1, 64), 0, 8));
      pair.client().post(local.addTo(remote.fetchAndAdd(2, 64, 1000), 8, 8));
      pair.client().run(local.addTo(remote.read(3, 64), 16, 8));
      assertThat(local.getLong(8)).isEqualTo(round);
      assertThat(local.getLong(16)).isEqualTo(round + 1000);
    }
  }

  @Test
  void aFencedSendCarriesWhatAnEarlierAtomicBrought() {
    TestMemory inbox = pair.server().memory(SIZE);
    remote.putLong(0, 0);
    for (int round = 0; round < 200; round++) {
      pair.server().post(inbox.receive(round, 0, 8));
      pair.client().post(local.addTo(remote.fetchAndAdd(1, 0, 1), 0, 8));
      pair.client().run(local.send(2, 0, 8).fenced());
      pair.server().receives().next().expectSuccess(round, Opcode.RECEIVE, 8);
      assertThat(inbox.getLong(0)).isEqualTo(round);
    }
  }

  @Test
  void aFencedAtomicDoesNotOvertakeAnEarlierRead() {
    TestMemory large = pair.client().memory(3L * MEBIBYTE);
    TestMemory source = pair.server().memory(3L * MEBIBYTE);
    for (int round = 0; round < 20; round++) {
      source.fill(round);
      long last = 3L * MEBIBYTE - 8;
      pair.client().post(large.addTo(source.read(1, 0), 0, 3 * MEBIBYTE));
      pair.client().run(local.addTo(source.fetchAndAdd(2, last, 5), 0, 8).fenced());
      large.expect(0, 3L * MEBIBYTE, round);
      assertThat(source.getLong(last)).isEqualTo(local.getLong(0) + 5);
    }
  }

  /** A SEND that has to be sent again takes all behind it along, but nothing runs twice. */
  @Test
  void atomicsAroundASendThatFindsNoReceiveRunOnce() {
    remote.putLong(0, 0);
    for (int round = 0; round < 10; round++) {
      pair.client().post(local.addTo(remote.fetchAndAdd(1, 0, 1), 0, 8).signaled());
      pair.client().post(new SendRequest(1).send(2).signaled());
      for (int i = 3; i < 20; i++) {
        pair.client().post(local.addTo(remote.fetchAndAdd(i, 0, 1), 8L * i, 8).signaled());
      }
      pair.client().sends().next().expectSuccess(1, Opcode.FETCH_AND_ADD, 8);
      assertThat(pair.client().sends().available()).isEmpty();
      pair.server().postReceive(round);
      pair.client().sends().next().expectSuccess(2, Opcode.SEND);
      for (int i = 3; i < 20; i++) {
        pair.client().sends().next().expectSuccess(i, Opcode.FETCH_AND_ADD, 8);
        assertThat(local.getLong(8L * i)).isEqualTo(round * 18L + i - 2);
      }
      pair.server().receives().next().expectSuccess(round, Opcode.RECEIVE);
      assertThat(remote.getLong(0)).isEqualTo((round + 1) * 18L);
    }
  }

  @Test
  void anErrorFlushesLaterAtomicsAndNoneOfThemRuns() {
    remote.putLong(0, 1);
    pair.client().post(local.addTo(remote.fetchAndAdd(0, 3, 1), 0, 8));
    for (int i = 1; i <= 20; i++) {
      pair.client().post(local.addTo(remote.fetchAndAdd(i, 0, 1), 0, 8));
    }
    pair.client().sends().next().expectStatus(0, CompletionStatus.REMOTE_INVALID_REQUEST);
    for (int i = 1; i <= 20; i++) {
      pair.client().sends().next().expectStatus(i, CompletionStatus.WORK_REQUEST_FLUSHED);
    }
    assertThat(pair.client().sends().available()).isEmpty();
    assertThat(remote.getLong(0)).isEqualTo(1);
  }

  @Test
  void noAdditionOfSeveralQueuePairsIsLostAndEachFindsAnotherValue() {
    int each = 2000;
    remote.putLong(0, 0);
    List<Future<List<Long>>> adders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ConnectedPair one = fabric().connectInto(pair.server().domain());
      TestMemory landing = one.client().memory(64 * 8);
      adders.add(fabric().async(() -> add(one, landing, each)));
    }
    TreeSet<Long> found = new TreeSet<>();
    adders.forEach(adder -> found.addAll(Await.result("adding", adder)));
    assertThat(remote.getLong(0)).isEqualTo(3L * each);
    assertThat(found).containsExactlyElementsOf(LongStream.range(0, 3L * each).boxed().toList());
  }

  @Test
  void aLockMadeOfCompareAndSwapKeepsOthersOut() {
    int each = 300;
    remote.putLong(0, 0);
    remote.putLong(8, 0);
    List<Future<?>> holders = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      ConnectedPair one = fabric().connectInto(pair.server().domain());
      TestMemory own = one.client().memory(64);
      long self = i;
      holders.add(fabric().async(() -> incrementUnderLock(one, own, self, each)));
    }
    holders.forEach(holder -> Await.result("locking", holder));
    assertThat(remote.getLong(8)).isEqualTo(2L * each);
    assertThat(remote.getLong(0)).isZero();
  }

  private List<Long> add(ConnectedPair one, TestMemory landing, int count) {
    List<Long> found = new ArrayList<>();
    for (int done = 0; done < count; done += 50) {
      for (int i = 0; i < 50; i++) {
        one.client().post(landing.addTo(remote.fetchAndAdd(i, 0, 1), i * 8L, 8).signaled());
      }
      for (int i = 0; i < 50; i++) {
        one.client().sends().next().expectSuccess(i, Opcode.FETCH_AND_ADD, 8);
        found.add(landing.getLong(i * 8L));
      }
    }
    return found;
  }

  private Void incrementUnderLock(ConnectedPair one, TestMemory own, long self, int count) {
    for (int i = 0; i < count; i++) {
      do {
        one.client().run(own.addTo(remote.compareAndSwap(1, 0, 0, self), 0, 8));
      } while (own.getLong(0) != 0);
      one.client().run(own.addTo(remote.read(2, 8), 8, 8));
      own.putLong(8, own.getLong(8) + 1);
      one.client().post(own.addTo(remote.write(3, 8), 8, 8));
      one.client().run(own.addTo(remote.compareAndSwap(4, 0, self, 0), 0, 8));
      assertThat(own.getLong(0)).isEqualTo(self);
    }
    return null;
  }

  private void run(SendRequest request) {
    Completion done = pair.client().run(local.addTo(request, 0, 8));
    assertThat(done.bytes()).isEqualTo(8);
  }

  /** Runs a request that must fail with this status and touch neither end. */
  private void expectFailed(SendRequest request, CompletionStatus status) {
    pair.client().post(local.addTo(request, 0, 8).signaled());
    pair.client().sends().next().expectStatus(request.requestId(), status);
    pair.client().awaitState(State.ERROR);
    pair.server().awaitState(State.ERROR);
    remote.expect(0, SIZE, 2);
  }

  private void onlyChanged(int offset) {
    remote.expect(0, offset, 2);
    int behind = offset + Long.BYTES;
    assertThat(remote.bytes(behind, SIZE - behind))
        .isEqualTo(new Pattern(2).bytes(behind, SIZE - behind));
  }

  private static byte[] slice(ByteBuffer from, int offset, int length) {
    byte[] bytes = new byte[length];
    from.get(offset, bytes);
    return bytes;
  }
}
