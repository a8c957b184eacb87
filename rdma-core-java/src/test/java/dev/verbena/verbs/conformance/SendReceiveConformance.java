// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Pattern;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.nio.ByteBuffer;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEND and RECV, immediate data, inline data: ibv_post_send(3), ibv_post_recv(3). */
abstract class SendReceiveConformance extends Conformance {
  private static final int SIZE = 1 << 16;

  SendReceiveConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void aSendOfNoBytesConsumesOneReceive() {
    ConnectedPair pair = fabric().connect();
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).send(7));
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 63, 64, 65, 4096, SIZE})
  void aSendArrivesWholeInAReceiveOfItsSize(int length) {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(length);
    TestMemory target = pair.server().memory(SIZE);
    pair.server().post(target.receive(1, SIZE - length, length));
    pair.client().run(source.send(2, 0, length));
    Completion received = pair.server().receives().next();
    received.expectSuccess(1, Opcode.RECEIVE, length);
    assertThat(received.immediate()).isEqualTo(OptionalInt.empty());
    assertThat(received.queuePair()).isEqualTo(pair.server().queuePair().number());
    target.expect(SIZE - length, length, length);
  }

  @Test
  void aReceiveTellsHowMuchOfItWasUsed() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE);
    pair.server().post(target.receive(1, 0, SIZE));
    pair.client().run(source.send(2, 0, 1234));
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE, 1234);
    target.expect(0, 1234, 1);
  }

  @Test
  void sendsGatherAndReceivesScatterOverOddSplits() {
    ConnectedPair pair = fabric().connect(attributes -> attributes.withMaxBuffers(5));
    TestMemory source = pair.client().memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    byte[] message = new Pattern(3).bytes(0, 1 + 7 + 640 + 3 + 1000);
    int[] from = {1, 7, 640, 3, 1000};
    int[] into = {500, 1, 0, 999, 400};
    SendRequest send = new SendRequest(5).send(2);
    int done = 0;
    for (int i = 0; i < from.length; i++) {
      long at = 40_000L - i * 5001L;
      source.memory().put(at, message, done, from[i]);
      source.addTo(send, at, from[i]);
      done += from[i];
    }
    ReceiveRequest receive = new ReceiveRequest(5).begin(1);
    for (int i = 0; i < into.length; i++) {
      target.addTo(receive, 3 + i * 7001L, into[i]);
    }
    pair.server().post(receive);
    pair.client().run(send);
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE, message.length);
    int taken = 0;
    for (int i = 0; i < into.length; i++) {
      int length = Math.min(into[i], message.length - taken);
      byte[] expected = new byte[length];
      System.arraycopy(message, taken, expected, 0, length);
      target.expect(3 + i * 7001L, expected);
      taken += length;
    }
  }

  @Test
  void receivesAreConsumedInTheOrderOfTheirPosting() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    for (int i = 0; i < 100; i++) {
      pair.server().post(target.receive(i, i * 16L, 16));
    }
    for (int i = 0; i < 100; i++) {
      source.putLong(i * 8L, i * 31L);
      pair.client().run(source.send(i, i * 8L, 8));
    }
    for (int i = 0; i < 100; i++) {
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE, 8);
      assertThat(target.getLong(i * 16L)).isEqualTo(i * 31L);
    }
  }

  @Test
  void inlineDataMayChangeAsSoonAsThePostReturns() {
    int limit = fabric().client().attributes().maxInline();
    ConnectedPair pair = fabric().connect(attributes -> attributes.withMaxInline(limit));
    TestMemory target = pair.server().memory(SIZE);
    ByteBuffer data = ByteBuffer.allocate(limit + 5);
    for (int i = 0; i < 20; i++) {
      pair.server().post(target.receive(i, (long) i * limit, limit));
      data.put(5, new Pattern(i).bytes(0, limit));
      pair.client().post(new SendRequest(1).send(i).inline(data, 5, limit).signaled());
      data.put(5, new byte[limit]);
    }
    for (int i = 0; i < 20; i++) {
      pair.client().sends().next().expectSuccess(i, Opcode.SEND);
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE, limit);
      target.expect((long) i * limit, limit, i);
    }
  }

  @Test
  void anInlineWriteLandsAndMayBeGivenFromADirectBuffer() {
    ConnectedPair pair = fabric().connect();
    TestMemory target = pair.server().memory(SIZE).fill(8);
    ByteBuffer data = ByteBuffer.allocateDirect(64).put(0, new Pattern(4).bytes(0, 64));
    pair.client().run(target.write(1, 101).inline(data, 3, 21));
    assertThat(target.bytes(101, 21)).isEqualTo(new Pattern(4).bytes(3, 21));
    target.expect(0, 101, 8);
    assertThat(target.bytes(122, 100)).isEqualTo(new Pattern(8).bytes(122, 100));
  }

  @Test
  void moreThanTheInlineLimitIsAnInvalidArgument() {
    ConnectedPair pair = fabric().connect();
    int tooMuch = pair.client().queuePair().attributes().maxInline() + 1;
    SendRequest request =
        new SendRequest(1).send(1).inline(ByteBuffer.allocate(tooMuch), 0, tooMuch);
    expectFailure(() -> pair.client().post(request), Code.INVALID_ARGUMENT);
    expectStillUsable(pair);
  }

  @Test
  void inlineDataForAReadIsAnInvalidArgument() {
    ConnectedPair pair = fabric().connect();
    SendRequest request =
        pair.server().memory(SIZE).read(1, 0).inline(ByteBuffer.allocate(8), 0, 8);
    expectFailure(() -> pair.client().post(request), Code.INVALID_ARGUMENT);
    expectStillUsable(pair);
  }

  @Test
  void moreBuffersThanTheLimitAreAnInvalidArgument() {
    ConnectedPair pair = fabric().connect();
    TestMemory memory = pair.client().memory(SIZE);
    int tooMany = pair.client().queuePair().attributes().maxBuffers() + 1;
    SendRequest send = new SendRequest(tooMany).send(1);
    ReceiveRequest receive = new ReceiveRequest(tooMany).begin(1);
    for (int i = 0; i < tooMany; i++) {
      memory.addTo(send, i, 1);
      memory.addTo(receive, i, 1);
    }
    expectFailure(() -> pair.client().post(send), Code.INVALID_ARGUMENT);
    expectFailure(() -> pair.client().post(receive), Code.INVALID_ARGUMENT);
    expectStillUsable(pair);
  }

  @Test
  void aSendLongerThanItsReceiveFailsAtBothEnds() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE).fill(2);
    pair.server().post(target.receive(5, 0, 99));
    pair.client().post(source.send(6, 0, 100));
    pair.client().sends().next().expectStatus(6, statusOfLongSends());
    pair.server().receives().next().expectStatus(5, CompletionStatus.LOCAL_LENGTH_ERROR);
    pair.client().awaitState(State.ERROR);
    pair.server().awaitState(State.ERROR);
    assertThat(target.bytes(99, 1000)).isEqualTo(new Pattern(2).bytes(99, 1000));
  }

  @Test
  void immediateDataComesWithASend() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE);
    int[] values = {0, 1, -1, 0x80000000, 0x12345678};
    for (int i = 0; i < values.length; i++) {
      pair.server().post(target.receive(i, i * 1000L, 1000));
      SendRequest request = new SendRequest(1).sendWithImmediate(i, values[i]);
      pair.client().run(source.addTo(request, 0, 10 * i));
      Completion received = pair.server().receives().next();
      received.expectSuccess(i, Opcode.RECEIVE, 10 * i);
      assertThat(received.immediate()).hasValue(values[i]);
      target.expect(i * 1000L, 10L * i, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5000, SIZE})
  void aWriteWithImmediateConsumesAReceiveAndLandsWhereItSays(int length) {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE);
    TestMemory untouched = pair.server().memory(SIZE).fill(9);
    pair.server().post(untouched.receive(1, 0, SIZE));
    SendRequest request = target.writeWithImmediate(2, SIZE - length, 0xcafe);
    if (length > 0) {
      source.addTo(request, 0, length);
    }
    pair.client().run(request);
    Completion received = pair.server().receives().next();
    received.expectSuccess(1, Opcode.RECEIVE_WRITE_WITH_IMMEDIATE, length);
    assertThat(received.immediate()).hasValue(0xcafe);
    target.expect(SIZE - length, length, 1);
    untouched.expect(0, SIZE, 9);
  }

  @Test
  void writesAndReadsConsumeNoReceive() {
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(SIZE).fill(1);
    TestMemory remote = pair.server().memory(SIZE);
    pair.server().post(remote.receive(1, 0, 100));
    pair.client().run(local.addTo(remote.write(2, 1000), 0, 100));
    pair.client().run(local.addTo(remote.read(3, 1000), 2000, 100));
    pair.client().run(local.send(4, 0, 50));
    assertThat(pair.server().receives().next(1)).hasSize(1);
    remote.expect(0, 50, 1);
    remote.expect(1000, 100, 1);
  }

  private static void expectStillUsable(ConnectedPair pair) {
    assertThat(pair.client().queuePair().state()).isEqualTo(State.READY_TO_SEND);
    pair.server().postReceive(100);
    pair.client().run(new SendRequest(1).send(101));
    pair.server().receives().next().expectSuccess(100, Opcode.RECEIVE, 0);
  }
}
