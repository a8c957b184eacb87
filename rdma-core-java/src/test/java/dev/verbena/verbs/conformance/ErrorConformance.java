// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The error state: flushing, disconnecting, closing. ibv_modify_qp(3), rdma_disconnect(3). */
abstract class ErrorConformance extends Conformance {
  private static final int SIZE = 1 << 16;

  ErrorConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void anErrorFlushesAllLaterSendsOnceInOrder() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE).fill(2);
    pair.client().post(source.addTo(target.write(0, -1), 0, 10));
    for (int i = 1; i <= 50; i++) {
      SendRequest request = source.addTo(target.write(i, 0), 0, 10);
      pair.client().post(i % 2 == 0 ? request.signaled() : request);
    }
    pair.client().sends().next().expectStatus(0, CompletionStatus.REMOTE_ACCESS_ERROR);
    expectFlushed(pair.client().sends(), 1, 50);
    target.expect(0, SIZE, 2);
  }

  @Test
  void anErrorFlushesAllReceivesOnceInOrder() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE).fill(2);
    for (int i = 0; i < 50; i++) {
      pair.client().post(source.receive(i, i * 100L, 100));
    }
    pair.client().post(source.addTo(target.write(99, SIZE), 0, 10));
    expectFlushed(pair.client().receives(), 0, 49);
    source.expect(0, SIZE, 1);
  }

  @Test
  void whatIsPostedInTheErrorStateCompletesAsFlushed() {
    ConnectedPair pair = fabric().connect();
    TestMemory memory = pair.client().memory(SIZE);
    pair.client().queuePair().disconnect();
    pair.client().awaitState(State.ERROR);
    for (int i = 0; i < 10; i++) {
      pair.client().post(memory.send(i, 0, 10));
      pair.client().post(memory.receive(i, 0, 10));
    }
    expectFlushed(pair.client().sends(), 0, 9);
    expectFlushed(pair.client().receives(), 0, 9);
    SendRequest[] batch = {new SendRequest(1).send(10), new SendRequest(1).send(11)};
    assertThat(pair.client().queuePair().postSend(batch, 2)).isEqualTo(2);
    expectFlushed(pair.client().sends(), 10, 11);
  }

  @Test
  void aDisconnectFlushesBothEnds() {
    ConnectedPair pair = fabric().connect();
    for (int i = 0; i < 20; i++) {
      pair.client().postReceive(i);
      pair.server().postReceive(i);
    }
    pair.server().queuePair().disconnect();
    pair.server().awaitState(State.ERROR);
    pair.client().awaitState(State.ERROR);
    expectFlushed(pair.client().receives(), 0, 19);
    expectFlushed(pair.server().receives(), 0, 19);
  }

  @Test
  void disconnectingTwiceAndFromBothEndsIsHarmless() {
    ConnectedPair pair = fabric().connect();
    pair.client().postReceive(1);
    pair.client().queuePair().disconnect();
    pair.server().queuePair().disconnect();
    pair.client().queuePair().disconnect();
    pair.client().awaitState(State.ERROR);
    pair.server().awaitState(State.ERROR);
    expectFlushed(pair.client().receives(), 1, 1);
  }

  @Test
  void sendsThatWaitForAReceiveAreFlushedByADisconnect() {
    ConnectedPair pair = fabric().connect();
    for (int i = 0; i < 20; i++) {
      pair.client().post(new SendRequest(1).send(i));
    }
    pair.client().queuePair().disconnect();
    expectFlushed(pair.client().sends(), 0, 19);
  }

  @Test
  void whenThePeerDisconnectsWaitingSendsEndWithAnError() {
    ConnectedPair pair = fabric().connect();
    for (int i = 0; i < 20; i++) {
      pair.client().post(new SendRequest(1).send(i));
    }
    pair.server().queuePair().disconnect();
    List<Completion> ended = pair.client().sends().next(20);
    assertThat(ended).extracting(Completion::id).containsExactlyElementsOf(ids(0, 19));
    assertThat(ended).noneMatch(done -> done.status() == CompletionStatus.SUCCESS);
    assertThat(ended.subList(1, 20))
        .allMatch(done -> done.status() == CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(pair.client().sends().available()).isEmpty();
  }

  @Test
  void whatWasReceivedBeforeADisconnectIsStillDelivered() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE);
    for (int i = 0; i < 20; i++) {
      pair.server().post(target.receive(i, i * 100L, 100));
    }
    for (int i = 0; i < 10; i++) {
      pair.client().run(source.send(i, 0, 100));
    }
    pair.client().queuePair().disconnect();
    for (int i = 0; i < 10; i++) {
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE, 100);
      target.expect(i * 100L, 100, 1);
    }
    expectFlushed(pair.server().receives(), 10, 19);
  }

  @Test
  void closingAQueuePairFlushesItAndDisconnectsThePeer() {
    ConnectedPair pair = fabric().connect();
    for (int i = 0; i < 5; i++) {
      pair.client().postReceive(i);
      pair.server().postReceive(i);
    }
    pair.client().queuePair().close();
    expectFlushed(pair.client().receives(), 0, 4);
    pair.server().awaitState(State.ERROR);
    expectFlushed(pair.server().receives(), 0, 4);
  }

  @Test
  void completionsNotYetPolledOutliveTheirQueuePair() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    for (int i = 0; i < 10; i++) {
      pair.client().post(source.addTo(target.write(i, 0), 0, 10).signaled());
    }
    pair.client().post(new SendRequest(1).send(10).signaled());
    pair.server().postReceive(1);
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE);
    pair.client().queuePair().close();
    List<Completion> ended = pair.client().sends().next(11);
    assertThat(ended).extracting(Completion::id).containsExactlyElementsOf(ids(0, 10));
    assertThat(ended)
        .extracting(Completion::status)
        .as("all ran, though the acknowledgement of the last ones may have come too late")
        .isSorted()
        .isSubsetOf(CompletionStatus.SUCCESS, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(pair.client().sends().available()).isEmpty();
  }

  @Test
  void anErrorOnOneConnectionLeavesTheOthersAlone() {
    ConnectedPair broken = fabric().connect();
    ConnectedPair healthy = fabric().connect();
    TestMemory source = broken.client().memory(SIZE);
    TestMemory target = broken.server().memory(SIZE);
    broken.client().post(source.addTo(target.write(1, -1), 0, 10));
    broken.client().awaitState(State.ERROR);
    broken.server().queuePair().close();
    healthy.server().postReceive(1);
    healthy.client().run(new SendRequest(1).send(2));
    healthy.server().receives().next().expectSuccess(1, Opcode.RECEIVE);
  }

  @Test
  void closingADeviceEndsTheConnectionsOfItsPeers() {
    ConnectedPair pair = fabric().connect();
    pair.client().postReceive(1);
    fabric().server().close();
    pair.client().awaitState(State.ERROR);
    expectFlushed(pair.client().receives(), 1, 1);
  }

  /** Each request posted around a disconnect ends exactly once, and none is lost. */
  @Test
  void postingDuringADisconnectLosesNoRequest() {
    for (int round = 0; round < 30; round++) {
      ConnectedPair pair = fabric().connect(attributes -> attributes.withDepths(128, 600));
      for (int i = 0; i < 600; i++) {
        pair.server().postReceive(i);
      }
      AtomicBoolean started = new AtomicBoolean();
      Future<?> poster =
          fabric()
              .async(
                  () -> {
                    for (int i = 0; i < 500; i++) {
                      pair.client().post(new SendRequest(1).send(i).signaled());
                      started.set(true);
                      if (i >= 100) {
                        expectNext(pair.client().sends(), i - 100);
                      }
                    }
                    for (int i = 400; i < 500; i++) {
                      expectNext(pair.client().sends(), i);
                    }
                    return null;
                  });
      Await.until("first post", started::get);
      pair.server().queuePair().disconnect();
      Await.result("posting", poster);
      List<Completion> received = pair.server().receives().next(600);
      assertThat(received).extracting(Completion::id).containsExactlyElementsOf(ids(0, 599));
      pair.client().queuePair().close();
      pair.server().queuePair().close();
    }
  }

  private static void expectNext(Completions completions, long id) {
    assertThat(completions.next().id()).isEqualTo(id);
  }

  /** Checks that requests {@code first} to {@code last} are flushed, and nothing else comes. */
  private static void expectFlushed(Completions completions, long first, long last) {
    List<Completion> flushed = completions.next((int) (last - first + 1));
    assertThat(flushed).extracting(Completion::id).containsExactlyElementsOf(ids(first, last));
    assertThat(flushed).allMatch(done -> done.status() == CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(completions.available()).isEmpty();
  }

  private static List<Long> ids(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }
}
