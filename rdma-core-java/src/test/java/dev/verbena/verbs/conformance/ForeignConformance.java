// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Regions in direct buffers that the device did not allocate. */
abstract class ForeignConformance extends Conformance {
  private static final int SIZE = 4 << 20;
  private static final Set<AccessFlag> ATOMIC =
      EnumSet.of(
          AccessFlag.LOCAL_WRITE,
          AccessFlag.REMOTE_WRITE,
          AccessFlag.REMOTE_READ,
          AccessFlag.REMOTE_ATOMIC);

  ForeignConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 4096, (1 << 18) + 1, 3_000_001})
  void peersWriteAndReadAForeignBuffer(int length) {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(2L * SIZE).fill(0, SIZE, 1);
    TestMemory foreign = foreign(pair.server(), ATOMIC).fill(2);
    pair.client().run(own.addTo(foreign.write(1, 77), 0, length));
    foreign.expect(77, length, 1);
    foreign.expect(0, 77, 2);
    pair.client().run(own.addTo(foreign.read(2, 77), SIZE, length));
    own.expect(SIZE, length, 1);
  }

  @Test
  void aBufferThatOnlyItsRegionHoldsIsNotCollected() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(SIZE).fill(1);
    List<WeakReference<ByteBuffer>> buffers = new ArrayList<>();
    try (MemoryRegion region = registerDirectBuffer(pair.server(), buffers)) {
      System.gc();
      assertThat(buffers.get(0).get()).isNotNull();
      TestMemory kept = new TestMemory(region);
      pair.client().run(own.addTo(kept.write(1, 0), 0, SIZE));
      kept.expect(0, SIZE, 1);
    }
  }

  @Test
  void bothEndsMayBeForeign() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = foreign(pair.client(), ATOMIC).fill(1);
    TestMemory remote = foreign(pair.server(), ATOMIC).fill(2);
    pair.client().run(own.addTo(remote.write(1, 0), 0, 1_000_000));
    remote.expect(0, 1_000_000, 1);
    pair.client().run(own.addTo(remote.read(2, 0), 2_000_000, 1_000_000));
    own.expect(2_000_000, 1_000_000, 1);
  }

  @Test
  void bothEndsServeEachOtherAtTheSameTime() {
    ConnectedPair pair = fabric().connect();
    TestMemory left = foreign(pair.client(), ATOMIC).fill(0, SIZE / 2, 1);
    TestMemory right = foreign(pair.server(), ATOMIC).fill(0, SIZE / 2, 2);
    Future<?> other =
        fabric()
            .async(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    pair.server().run(right.addTo(left.write(i, SIZE / 2), 0, SIZE / 2));
                  }
                  return null;
                });
    for (int i = 0; i < 20; i++) {
      pair.client().run(left.addTo(right.write(i, SIZE / 2), 0, SIZE / 2));
    }
    Await.result("the other end", other);
    right.expect(SIZE / 2, SIZE / 2, 1);
    left.expect(SIZE / 2, SIZE / 2, 2);
  }

  @Test
  void inlineDataAndSeveralBuffersReachAForeignBuffer() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(SIZE).fill(1);
    TestMemory foreign = foreign(pair.server(), ATOMIC);
    ByteBuffer data = ByteBuffer.wrap(own.bytes(0, 32));
    pair.client().run(foreign.write(1, 100).inline(data, 0, 32));
    foreign.expect(100, 32, 1);
    SendRequest gather = foreign.write(2, 1000);
    own.addTo(gather, 0, 10);
    own.addTo(gather, 10, 300_000);
    own.addTo(gather, 300_010, 50);
    pair.client().run(gather);
    foreign.expect(1000, 300_060, 1);
  }

  @Test
  void messagesAreReceivedInForeignBuffers() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(SIZE).fill(1);
    TestMemory foreign = foreign(pair.server(), EnumSet.of(AccessFlag.LOCAL_WRITE));
    TestMemory mapped = pair.server().memory(SIZE);
    for (int i = 0; i < 20; i++) {
      ReceiveRequest request = foreign.receive(i, 0, 400_000);
      mapped.addTo(request, 0, 1000);
      foreign.addTo(request, 500_000, 400_000);
      pair.server().post(request);
      pair.client().run(own.send(i, 0, 600_000));
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE, 600_000);
      foreign.expect(0, 400_000, 1);
      assertThat(mapped.bytes(0, 1000)).isEqualTo(own.bytes(400_000, 1000));
      assertThat(foreign.bytes(500_000, 199_000)).isEqualTo(own.bytes(401_000, 199_000));
      foreign.fill(9);
    }
  }

  @Test
  void atomicsRunOnAForeignBuffer() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(64);
    TestMemory foreign = foreign(pair.server(), ATOMIC);
    foreign.putLong(8, 40);
    pair.client().run(own.addTo(foreign.fetchAndAdd(1, 8, 2), 0, 8));
    assertThat(own.getLong(0)).isEqualTo(40);
    assertThat(foreign.getLong(8)).isEqualTo(42);
    pair.client().run(own.addTo(foreign.compareAndSwap(2, 8, 42, 7), 8, 8));
    assertThat(own.getLong(8)).isEqualTo(42);
    assertThat(foreign.getLong(8)).isEqualTo(7);
    pair.client().run(own.addTo(foreign.compareAndSwap(3, 8, 42, 9), 8, 8));
    assertThat(own.getLong(8)).isEqualTo(7);
    assertThat(foreign.getLong(8)).isEqualTo(7);
  }

  @Test
  void whatIsPostedAfterAWriteToAForeignBufferComesAfterIt() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(SIZE);
    TestMemory foreign = foreign(pair.server(), ATOMIC);
    for (int i = 0; i < 50; i++) {
      own.fill(0, 300_000, i);
      pair.server().postReceive(i);
      pair.client().post(own.addTo(foreign.write(i, 0), 0, 300_000));
      pair.client().run(new SendRequest(1).send(i));
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE);
      foreign.expect(0, 300_000, i);
    }
    pair.server().postReceive(99);
    pair.client().run(own.addTo(foreign.writeWithImmediate(99, 10, 5), 0, 100));
    assertThat(pair.server().receives().next().immediate()).hasValue(5);
    assertThat(foreign.bytes(10, 100)).isEqualTo(own.bytes(0, 100));
  }

  @Test
  void keysRangesAndPermissionsOfForeignBuffersAreChecked() {
    expectDenied(EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE), false, 0);
    expectDenied(EnumSet.of(AccessFlag.REMOTE_READ), true, 0);
    expectDenied(ATOMIC, true, SIZE - 9);
    expectDenied(ATOMIC, false, SIZE - 9);
    expectDenied(ATOMIC, true, -1);
  }

  private void expectDenied(Set<AccessFlag> access, boolean write, long offset) {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(64).fill(1);
    TestMemory foreign = foreign(pair.server(), access).fill(2);
    SendRequest request = write ? foreign.write(1, offset) : foreign.read(1, offset);
    pair.client().post(own.addTo(request, 0, 10).signaled());
    pair.client().sends().next().expectStatus(1, CompletionStatus.REMOTE_ACCESS_ERROR);
    foreign.expect(0, SIZE, 2);
    own.expect(0, 64, 1);
  }

  @Test
  void aForeignReceiveBufferWithoutLocalWriteIsAProtectionError() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(64).fill(1);
    TestMemory foreign = foreign(pair.server(), EnumSet.of(AccessFlag.REMOTE_READ)).fill(2);
    pair.server().post(foreign.receive(1, 0, 100));
    pair.client().post(own.send(1, 0, 10).signaled());
    pair.client().sends().next().expectStatus(1, CompletionStatus.REMOTE_OPERATION_ERROR);
    pair.server().receives().next().expectStatus(1, CompletionStatus.LOCAL_PROTECTION_ERROR);
    foreign.expect(0, SIZE, 2);
  }

  @Test
  void deregisteringAForeignBufferKeepsLateWritesOut() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = pair.client().memory(SIZE).fill(1);
    TestMemory foreign = foreign(pair.server(), ATOMIC);
    AtomicBoolean started = new AtomicBoolean();
    Future<CompletionStatus> writer =
        fabric()
            .async(
                () -> {
                  CompletionStatus status;
                  do {
                    pair.client().post(own.addTo(foreign.write(1, 0), 0, SIZE).signaled());
                    status = pair.client().sends().next().status();
                    started.set(true);
                  } while (status == CompletionStatus.SUCCESS);
                  return status;
                });
    Await.until("a WRITE", started::get);
    foreign.region().close();
    foreign.fill(7);
    assertThat(Await.result("writer", writer)).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
    foreign.expect(0, SIZE, 7);
  }

  @Test
  void disconnectingInTheMiddleOfATransferLeavesForeignBuffersAlone() {
    for (int round = 0; round < 10; round++) {
      ConnectedPair pair = fabric().connect();
      TestMemory own = pair.client().memory(SIZE).fill(1);
      TestMemory foreign = foreign(pair.server(), EnumSet.of(AccessFlag.LOCAL_WRITE));
      pair.server().post(foreign.receive(1, 0, SIZE));
      pair.client().post(own.send(1, 0, SIZE).signaled());
      pair.server().queuePair().disconnect();
      Completion ended = pair.server().receives().next();
      if (ended.status() != CompletionStatus.SUCCESS) {
        ended.expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
        foreign.fill(7);
        pair.client().sends().next();
        pair.client().queuePair().close();
        foreign.expect(0, SIZE, 7);
      }
    }
  }

  @Test
  void anUnalignedForeignBufferIsRefusedToWriters() {
    ProtectionDomain domain = fabric().connect().server().domain();
    ByteBuffer odd = ByteBuffer.allocateDirect(64).position(1).slice();
    MappedMemory memory = fabric().own(MappedMemory.of(odd));
    if (has(Ability.REFUSES_UNALIGNED_MEMORY)) {
      expectFailure(() -> domain.register(memory, 0, 8, ATOMIC), Code.INVALID_ARGUMENT);
    } else {
      domain.register(memory, 0, 8, ATOMIC).close();
    }
  }

  @Test
  void aForeignBufferCannotBeMappedByThePeer() {
    ConnectedPair pair = fabric().connect();
    TestMemory foreign = foreign(pair.server(), ATOMIC);
    assertThat(
            pair.client()
                .queuePair()
                .mapRemote(foreign.address(0), 100, foreign.region().remoteKey()))
        .isEmpty();
  }

  private static MemoryRegion registerDirectBuffer(
      Endpoint end, List<WeakReference<ByteBuffer>> buffers) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE);
    buffers.add(new WeakReference<>(buffer));
    return end.domain().register(MappedMemory.of(buffer), 0, SIZE, ATOMIC);
  }

  private static TestMemory foreign(Endpoint end, Set<AccessFlag> access) {
    return end.foreignMemory(SIZE, access);
  }
}
