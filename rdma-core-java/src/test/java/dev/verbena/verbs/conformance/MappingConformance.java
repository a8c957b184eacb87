// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsException.Code;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Direct loads from a peer's memory, of a device that can: QueuePair.mapRemote. */
abstract class MappingConformance extends Conformance {
  private static final int SIZE = 3 << 20;

  MappingConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void theDeviceSaysThatItCanMap() {
    assertThat(fabric().client().attributes().canMapRemote()).isTrue();
  }

  @Test
  void aMappingShowsTheBytesThatAReadBrings() {
    ConnectedPair pair = fabric().connect();
    TestMemory remote = pair.server().memory(777, SIZE, 0, Endpoint.ALL_ACCESS).fill(1);
    TestMemory local = pair.client().memory(SIZE);
    RemoteMapping mapping = map(pair, remote, 1001, SIZE - 1001L).orElseThrow();
    assertThat(mapping.length()).isEqualTo(SIZE - 1001L);
    for (int[] range : new int[][] {{0, 1}, {13, 4099}, {0, SIZE - 1001}, {SIZE - 1002, 1}}) {
      pair.client().run(local.addTo(remote.read(1, 1001 + range[0]), 0, range[1]));
      ByteBuffer target = ByteBuffer.allocateDirect(range[1] + 3);
      mapping.read(range[0], target, 3, range[1]);
      byte[] mapped = new byte[range[1]];
      target.get(3, mapped);
      assertThat(mapped).isEqualTo(local.bytes(0, range[1]));
    }
  }

  @Test
  void aMappingReadsIntoAHeapBufferAndLeavesItsPosition() {
    ConnectedPair pair = fabric().connect();
    TestMemory remote = pair.server().memory(SIZE).fill(1);
    RemoteMapping mapping = map(pair, remote, 0, SIZE).orElseThrow();
    ByteBuffer target = ByteBuffer.allocate(100).position(7);
    mapping.read(50, target, 10, 20);
    assertThat(target.position()).isEqualTo(7);
    byte[] expected = new byte[100];
    System.arraycopy(new Pattern(1).bytes(50, 20), 0, expected, 10, 20);
    assertThat(target.array()).isEqualTo(expected);
  }

  @Test
  void aMappingShowsWhatTheOwnerChanges() {
    ConnectedPair pair = fabric().connect();
    TestMemory remote = pair.server().memory(SIZE).fill(1);
    RemoteMapping mapping = map(pair, remote, 0, SIZE).orElseThrow();
    remote.fill(2);
    ByteBuffer target = ByteBuffer.allocate(1000);
    mapping.read(0, target, 0, 1000);
    assertThat(target.array()).isEqualTo(new Pattern(2).bytes(0, 1000));
  }

  @Test
  void aRevokedKeyIsRejected() {
    ConnectedPair pair = fabric().connect();
    TestMemory remote = pair.server().memory(SIZE).fill(1);
    RemoteMapping mapping = map(pair, remote, 0, SIZE).orElseThrow();
    mapping.read(0, ByteBuffer.allocate(10), 0, 10);
    remote.region().close();
    expectFailure(() -> mapping.read(0, ByteBuffer.allocate(10), 0, 10), Code.REJECTED);
  }

  @Test
  void aWrongKeyOrRangeOrPermissionIsRejected() {
    ConnectedPair pair = fabric().connect();
    TestMemory remote = pair.server().memory(4096, SIZE, 4096, Endpoint.ALL_ACCESS);
    TestMemory unreadable =
        pair.server().memory(SIZE, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    int key = remote.region().remoteKey();
    long start = remote.address(0);
    expectFailure(() -> pair.client().queuePair().mapRemote(start, SIZE, key + 1), Code.REJECTED);
    expectFailure(() -> map(pair, remote, 0, SIZE + 1L), Code.REJECTED);
    expectFailure(() -> map(pair, remote, -1, SIZE), Code.REJECTED);
    expectFailure(() -> map(pair, remote, SIZE, 1), Code.REJECTED);
    expectFailure(() -> map(pair, unreadable, 0, SIZE), Code.REJECTED);
    assertThat(map(pair, remote, 0, SIZE)).isPresent();
  }

  @Test
  void afterTheConnectionEndedAMappingIsDisconnected() {
    ConnectedPair pair = fabric().connect();
    TestMemory remote = pair.server().memory(SIZE).fill(1);
    RemoteMapping mapping = map(pair, remote, 0, SIZE).orElseThrow();
    pair.client().queuePair().disconnect();
    expectFailure(() -> mapping.read(0, ByteBuffer.allocate(10), 0, 10), Code.DISCONNECTED);
  }

  @Test
  void mappingBeforeTheConnectionIsAnInvalidState() {
    Endpoint end = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
    expectFailure(() -> end.queuePair().mapRemote(0, 1, 1), Code.INVALID_STATE);
  }

  /** A copy that succeeds never shows what the owner puts there after taking the range back. */
  @Test
  void aReaderNeverSeesWhatComesAfterTheRevocation() {
    for (int round = 0; round < 10; round++) {
      ConnectedPair pair = fabric().connect();
      TestMemory remote = pair.server().memory(SIZE).fill(1);
      RemoteMapping mapping = map(pair, remote, 0, SIZE).orElseThrow();
      AtomicBoolean started = new AtomicBoolean();
      Future<?> reader =
          fabric()
              .async(
                  () -> {
                    readUntilRejected(mapping, started);
                    return null;
                  });
      Await.until("a copy", started::get);
      remote.region().close();
      remote.memory().zero(0, SIZE);
      Await.result("reading", reader);
    }
  }

  private static void readUntilRejected(RemoteMapping mapping, AtomicBoolean started) {
    byte[] expected = new Pattern(1).bytes(0, SIZE);
    ByteBuffer target = ByteBuffer.allocate(SIZE);
    while (true) {
      try {
        mapping.read(0, target, 0, SIZE);
      } catch (VerbsException e) {
        assertThat(e.code()).isEqualTo(Code.REJECTED);
        return;
      }
      assertThat(Arrays.mismatch(target.array(), expected)).isEqualTo(-1);
      started.set(true);
    }
  }

  private static Optional<RemoteMapping> map(
      ConnectedPair pair, TestMemory remote, long offset, long length) {
    return pair.client()
        .queuePair()
        .mapRemote(remote.address(offset), length, remote.region().remoteKey());
  }
}
