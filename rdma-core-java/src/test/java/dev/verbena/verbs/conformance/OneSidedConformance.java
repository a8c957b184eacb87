// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.testing.Pattern;
import dev.verbena.testing.Scale;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.SendRequest;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA WRITE and READ, and the order that one queue pair keeps: volume 1, section 10.8.3. */
abstract class OneSidedConformance extends Conformance {
  private static final int SIZE = 1 << 16;
  private static final int MEBIBYTE = 1 << 20;

  OneSidedConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 63, 4095, 4097, 65_537, MEBIBYTE, MEBIBYTE + 3, 5 * MEBIBYTE + 1})
  void aWriteLandsWholeAndNowhereElse(int length) {
    int guard = 501;
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(length + 13L).fill(13, length, 1);
    TestMemory target = pair.server().memory(length + 2L * guard).fill(2);
    pair.client().run(source.addTo(target.write(1, guard), 13, length));
    target.expect(guard, length, 1);
    target.expect(0, guard, 2);
    assertThat(target.bytes(guard + length, guard))
        .isEqualTo(new Pattern(2).bytes(guard + length, guard));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 63, 4095, 4097, 65_537, MEBIBYTE, MEBIBYTE + 3, 5 * MEBIBYTE + 1})
  void aReadBringsAllAndTouchesNothingElse(int length) {
    int guard = 501;
    ConnectedPair pair = fabric().connect();
    TestMemory target = pair.client().memory(length + 2L * guard).fill(2);
    TestMemory source = pair.server().memory(length + 13L).fill(13, length, 1);
    Completion done = pair.client().run(target.addTo(source.read(1, 13), guard, length));
    done.expectSuccess(1, Opcode.READ, length);
    target.expect(guard, length, 1);
    target.expect(0, guard, 2);
    assertThat(target.bytes(guard + length, guard))
        .isEqualTo(new Pattern(2).bytes(guard + length, guard));
  }

  @Test
  void aLongWriteAndALongReadArriveWhole() {
    int length = Scale.of(64, 16) * MEBIBYTE + 12_345;
    assumeTrue(fabric().client().attributes().maxMessage() >= length, "the device's longest");
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(length + 7L).fill(7, length, 1);
    TestMemory remote = pair.server().memory(length + 9L);
    pair.client().run(local.addTo(remote.write(1, 9), 7, length));
    remote.expect(9, length, 1);
    remote.fill(9, length, 2);
    pair.client()
        .run(local.addTo(remote.read(2, 9), 0, length))
        .expectSuccess(2, Opcode.READ, length);
    local.expect(0, length, 2);
  }

  @Test
  void aWriteOfNoBytesSucceedsAndTouchesNothing() {
    ConnectedPair pair = fabric().connect();
    TestMemory target = pair.server().memory(SIZE).fill(3);
    pair.client().run(target.write(1, 100));
    target.expect(0, SIZE, 3);
  }

  @Test
  void aWriteGathersAndAReadScatters() {
    ConnectedPair pair = fabric().connect(attributes -> attributes.withMaxBuffers(4));
    TestMemory local = pair.client().memory(SIZE);
    TestMemory other = pair.client().memory(SIZE);
    TestMemory remote = pair.server().memory(SIZE);
    byte[] data = new Pattern(5).bytes(0, 1011);
    local.put(1, new Pattern(5).bytes(0, 10));
    other.put(7, new Pattern(5).bytes(10, 1));
    local.put(30_001, new Pattern(5).bytes(11, 1000));
    SendRequest write = remote.write(1, 77);
    local.addTo(write, 1, 10);
    other.addTo(write, 7, 1);
    other.addTo(write, 8, 0);
    local.addTo(write, 30_001, 1000);
    pair.client().run(write);
    remote.expect(77, data);

    SendRequest read = remote.read(2, 77);
    other.addTo(read, 50_000, 999);
    local.addTo(read, 40_000, 1);
    local.addTo(read, 40_003, 11);
    pair.client().run(read).expectSuccess(2, Opcode.READ, 1011);
    assertThat(other.bytes(50_000, 999)).isEqualTo(new Pattern(5).bytes(0, 999));
    assertThat(local.bytes(40_000, 1)).isEqualTo(new Pattern(5).bytes(999, 1));
    assertThat(local.bytes(40_003, 11)).isEqualTo(new Pattern(5).bytes(1000, 11));
  }

  @Test
  void aRegionOfPartOfAMemoryServesItsFirstAndItsLastByte() {
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(SIZE).fill(1);
    TestMemory remote = pair.server().memory(4099, 1001, 333, Endpoint.ALL_ACCESS);
    new Pattern(2).fill(remote.memory(), 0, remote.memory().size());
    pair.client().run(local.addTo(remote.write(1, 0), 0, 1));
    pair.client().run(local.addTo(remote.write(2, 1000), 1, 1));
    pair.client().run(local.addTo(remote.read(3, 0), 500, 1001));
    assertThat(local.bytes(500, 1)).isEqualTo(new Pattern(1).bytes(0, 1));
    assertThat(local.bytes(501, 999)).isEqualTo(new Pattern(2).bytes(4100, 999));
    assertThat(local.bytes(1500, 1)).isEqualTo(new Pattern(1).bytes(1, 1));
  }

  @Test
  void aForeignDirectBufferServesAsSourceAndAsTargetOfARead() {
    ConnectedPair pair = fabric().connect();
    TestMemory local =
        pair.client().foreignMemory(SIZE, EnumSet.of(AccessFlag.LOCAL_WRITE)).fill(1);
    TestMemory remote = pair.server().memory(SIZE).fill(2);
    pair.client().run(local.addTo(remote.write(1, 10), 0, 1000));
    remote.expect(10, 1000, 1);
    pair.client().run(local.addTo(remote.read(2, 0), 5000, 10));
    local.expect(5000, 10, 2);
    pair.server().post(remote.receive(3, 3000, 3000));
    pair.client().run(local.send(4, 0, 3000));
    pair.server().receives().next().expectSuccess(3, Opcode.RECEIVE, 3000);
    remote.expect(3000, 3000, 1);
  }

  @Test
  void whatAnEarlierWriteBroughtIsThereWhenALaterSendIsReceived() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    for (int round = 0; round < 500; round++) {
      int length = 1 + round * 131 % (SIZE - 8);
      source.fill(0, length, round);
      pair.server().postReceive(round);
      pair.client().post(source.addTo(target.write(1, 8), 0, length));
      pair.client().post(new SendRequest(1).send(round).signaled());
      pair.server().receives().next().expectSuccess(round, Opcode.RECEIVE, 0);
      target.expect(8, length, round);
      pair.client().sends().next().expectSuccess(round, Opcode.SEND);
    }
  }

  @Test
  void writesOfOneQueuePairLandInOrder() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    pair.server().postReceive(1);
    for (int i = 0; i < 100; i++) {
      source.putLong(i * 8L, i);
      pair.client().post(source.addTo(target.write(i, 0), i * 8L, 8));
    }
    pair.client().post(new SendRequest(1).send(1000).signaled());
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE);
    assertThat(target.getLong(0)).isEqualTo(99);
  }

  @Test
  void aReadSeesWhatAnEarlierWriteBrought() {
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(2L * MEBIBYTE);
    TestMemory remote = pair.server().memory(MEBIBYTE);
    for (int round = 0; round < 50; round++) {
      local.fill(0, MEBIBYTE, round);
      pair.client().post(local.addTo(remote.write(1, 0), 0, MEBIBYTE));
      pair.client().run(local.addTo(remote.read(2, 0), MEBIBYTE, MEBIBYTE));
      local.expect(MEBIBYTE, MEBIBYTE, round);
    }
  }

  @Test
  void aFencedWriteDoesNotOvertakeAnEarlierRead() {
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(6L * MEBIBYTE).fill(0, MEBIBYTE, 2);
    TestMemory remote = pair.server().memory(3L * MEBIBYTE);
    for (int round = 0; round < 20; round++) {
      remote.fill(1);
      pair.client().post(local.addTo(remote.read(1, 0), 2L * MEBIBYTE, 3 * MEBIBYTE));
      pair.client().run(local.addTo(remote.write(2, 2L * MEBIBYTE), 0, MEBIBYTE).fenced());
      local.expect(2L * MEBIBYTE, 3L * MEBIBYTE, 1);
      remote.expect(2L * MEBIBYTE, MEBIBYTE, 2);
    }
  }

  @Test
  void aFencedSendCarriesWhatAnEarlierReadBrought() {
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(3L * MEBIBYTE);
    TestMemory remote = pair.server().memory(6L * MEBIBYTE);
    for (int round = 0; round < 20; round++) {
      remote.fill(0, 3L * MEBIBYTE, round);
      pair.server().post(remote.receive(1, 3L * MEBIBYTE, 3 * MEBIBYTE));
      pair.client().post(local.addTo(remote.read(2, 0), 0, 3 * MEBIBYTE));
      pair.client().run(local.send(3, 0, 3 * MEBIBYTE).fenced());
      pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE, 3 * MEBIBYTE);
      remote.expect(3L * MEBIBYTE, 3L * MEBIBYTE, round);
    }
  }
}
