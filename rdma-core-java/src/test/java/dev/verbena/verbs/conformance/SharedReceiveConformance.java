// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.Scale;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.VerbsException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Shared receive queues: ibv_create_srq(3), ibv_post_srq_recv(3), ibv_modify_srq(3). */
abstract class SharedReceiveConformance extends Conformance {
  private static final int SIZE = 1 << 16;
  private static final int SLOT = 256;

  SharedReceiveConformance(VerbsUnderTest provider) {
    super(provider);
  }

  /** A shared receive queue on the server, with queue pairs of clients that draw from it. */
  private final class Shared {
    final ProtectionDomain domain = fabric().own(fabric().server().createProtectionDomain());
    final CompletionQueue completions =
        fabric().own(fabric().server().createCompletionQueue(4096, null));
    final Completions receives = new Completions(completions);
    final SharedReceiveQueue queue;
    final List<ConnectedPair> pairs = new ArrayList<>();
    final TestMemory memory;

    Shared(int receives, int pairs) {
      queue =
          fabric()
              .own(domain.createSharedReceiveQueue(new SharedReceiveQueueAttributes(receives, 2)));
      var bytes = fabric().own(fabric().server().allocate((long) receives * SLOT));
      memory =
          new TestMemory(
              fabric().own(domain.register(bytes, 0, bytes.size(), Endpoint.ALL_ACCESS)));
      for (int i = 0; i < pairs; i++) {
        addPair();
      }
    }

    ConnectedPair addPair() {
      Endpoint client = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
      ConnectedPair pair = fabric().connect(client, end());
      pairs.add(pair);
      return pair;
    }

    Endpoint end() {
      return new Endpoint(
          fabric(),
          fabric().server(),
          domain,
          completions,
          completions,
          attributes -> attributes.withSharedReceiveQueue(queue));
    }

    /** Posts the RECV with the buffer of that number. */
    void post(long id) {
      queue.postReceive(memory.receive(id, id * SLOT, SLOT));
    }

    void postAll(int count) {
      for (int i = 0; i < count; i++) {
        post(i);
      }
    }

    Endpoint client(int pair) {
      return pairs.get(pair).client();
    }

    int serverNumber(int pair) {
      return pairs.get(pair).server().queuePair().number();
    }
  }

  @Test
  void receivesOfOneQueueServeManyQueuePairs() {
    Shared shared = new Shared(64, 4);
    shared.postAll(64);
    for (int i = 0; i < 64; i++) {
      TestMemory source = shared.client(i % 4).memory(SLOT).fill(i);
      shared.client(i % 4).run(source.send(i, 0, 100 + i));
      Completion received = shared.receives.next();
      received.expectSuccess(received.id(), Opcode.RECEIVE, 100 + i);
      assertThat(received.queuePair()).isEqualTo(shared.serverNumber(i % 4));
      shared.memory.expect(received.id() * SLOT, 100 + i, i);
    }
    assertThat(shared.receives.available()).isEmpty();
  }

  @Test
  void oneQueuePairCanUseEveryReceiveWhileTheOthersAreIdle() {
    Shared shared = new Shared(64, 8);
    shared.postAll(64);
    for (int i = 0; i < 64; i++) {
      shared.client(3).run(new SendRequest(1).sendWithImmediate(i, i));
    }
    List<Completion> received = shared.receives.next(64);
    assertThat(received).extracting(Completion::id).containsExactlyInAnyOrderElementsOf(ids(0, 63));
    for (int i = 0; i < 64; i++) {
      assertThat(received.get(i).immediate()).hasValue(i);
    }
  }

  @Test
  void moreQueuePairsThanReceivesShareThemInTurns() {
    Shared shared = new Shared(4, 24);
    shared.postAll(4);
    for (int round = 0; round < 3; round++) {
      for (ConnectedPair pair : shared.pairs) {
        pair.client().post(new SendRequest(1).send(round).signaled());
      }
      Map<Integer, Integer> seen = new HashMap<>();
      for (int i = 0; i < 24; i++) {
        Completion received = shared.receives.next();
        received.expectSuccess(received.id(), Opcode.RECEIVE);
        seen.merge(received.queuePair(), 1, Integer::sum);
        shared.post(received.id());
      }
      assertThat(seen).hasSize(24);
      for (ConnectedPair pair : shared.pairs) {
        pair.client().sends().next().expectSuccess(round, Opcode.SEND);
      }
    }
  }

  @Test
  void aSendWaitsForAReceiveThatIsPostedLate() {
    Shared shared = new Shared(8, 2);
    shared.client(0).post(new SendRequest(1).send(1).signaled());
    shared.client(1).post(new SendRequest(1).send(2).signaled());
    assertThat(shared.client(0).sends().available()).isEmpty();
    shared.post(0);
    shared.post(1);
    shared.client(0).sends().next().expectSuccess(1, Opcode.SEND);
    shared.client(1).sends().next().expectSuccess(2, Opcode.SEND);
    assertThat(shared.receives.next(2))
        .extracting(Completion::id)
        .containsExactlyInAnyOrder(0L, 1L);
  }

  @Test
  void anEmptySharedQueueEndsInRnrRetryExceeded() {
    Shared shared = new Shared(8, 0);
    Endpoint client =
        new Endpoint(
            fabric(),
            fabric().client(),
            attributes -> attributes.withRnrRetries(4, Duration.ofMillis(50)));
    fabric().connect(client, shared.end());
    client.post(new SendRequest(1).send(1).signaled());
    client.sends().next().expectStatus(1, CompletionStatus.RNR_RETRY_EXCEEDED);
  }

  @Test
  void receivesCannotBePostedToTheQueuePairItself() {
    Shared shared = new Shared(8, 1);
    Endpoint server = shared.pairs.get(0).server();
    expectFailure(() -> server.postReceive(1), Code.INVALID_ARGUMENT);
  }

  @Test
  void aFullSharedQueueRefusesUntilACompletionWasPolled() {
    Shared shared = new Shared(8, 1);
    shared.postAll(8);
    expectFailure(() -> shared.post(0), Code.RECEIVE_QUEUE_FULL);
    shared.client(0).run(new SendRequest(1).send(1));
    expectFailure(() -> shared.post(0), Code.RECEIVE_QUEUE_FULL);
    long id = shared.receives.next().id();
    shared.post(id);
    expectFailure(() -> shared.post(0), Code.RECEIVE_QUEUE_FULL);
  }

  @Test
  void tooManyBuffersAreRefused() {
    Shared shared = new Shared(8, 0);
    ReceiveRequest request = shared.memory.receive(1, 0, 10);
    shared.memory.addTo(request, 10, 10);
    shared.memory.addTo(request, 20, 10);
    expectFailure(() -> shared.queue.postReceive(request), Code.INVALID_ARGUMENT);
  }

  @Test
  void aMessageIsScatteredOverTheBuffersOfASharedReceive() {
    Shared shared = new Shared(8, 1);
    TestMemory source = shared.client(0).memory(SLOT).fill(9);
    ReceiveRequest request = shared.memory.receive(1, 0, 60);
    shared.memory.addTo(request, 1000, 60);
    shared.queue.postReceive(request);
    shared.client(0).run(source.send(1, 0, 100));
    shared.receives.next().expectSuccess(1, Opcode.RECEIVE, 100);
    shared.memory.expect(0, 60, 9);
    assertThat(shared.memory.bytes(1000, 40)).isEqualTo(source.bytes(60, 40));
  }

  @Test
  void aMessageTooLongForItsReceiveBreaksOnlyItsOwnQueuePair() {
    Shared shared = new Shared(8, 2);
    shared.postAll(8);
    TestMemory source = shared.client(0).memory(SIZE);
    shared.client(0).post(source.send(1, 0, SLOT + 1).signaled());
    shared.client(0).sends().next().expectStatus(1, statusOfLongSends());
    Completion failed = shared.receives.next();
    failed.expectStatus(failed.id(), CompletionStatus.LOCAL_LENGTH_ERROR);
    for (int i = 0; i < 7; i++) {
      shared.client(1).run(new SendRequest(1).send(i));
      Completion received = shared.receives.next();
      received.expectSuccess(received.id(), Opcode.RECEIVE);
    }
  }

  @Test
  void aSharedQueueInUseCannotBeClosed() {
    Shared shared = new Shared(8, 1);
    expectFailure(() -> shared.queue.close(), Code.INVALID_STATE);
    shared.pairs.get(0).server().queuePair().close();
    shared.queue.close();
    expectFailure(() -> shared.post(0), Code.INVALID_STATE);
  }

  @Test
  void aQueuePairOfAnotherDomainCannotDrawFromIt() {
    Shared shared = new Shared(8, 0);
    expectFailure(
        () ->
            new Endpoint(
                fabric(),
                fabric().server(),
                attributes -> attributes.withSharedReceiveQueue(shared.queue)),
        Code.INVALID_ARGUMENT);
  }

  /** Nothing is flushed, the event tells that the broken queue pair takes no more. */
  @Test
  void receivesDealtToABrokenQueuePairReturn() throws InterruptedException {
    Shared shared = new Shared(16, 2);
    shared.postAll(16);
    Endpoint broken = shared.pairs.get(0).server();
    shared.client(0).run(new SendRequest(1).send(1));
    shared.client(0).queuePair().disconnect();
    broken.awaitState(State.ERROR);
    assertThat(fabric().server().awaitAsyncEvent(Fabric.deadline()))
        .isEqualTo(
            new AsyncEvent.OfQueuePair(AsyncEvent.Type.LAST_REQUEST_REACHED, broken.queuePair()));
    Completion first = shared.receives.next();
    first.expectSuccess(first.id(), Opcode.RECEIVE);
    assertThat(first.queuePair()).isEqualTo(broken.queuePair().number());
    expectTheRest(shared, 1, Set.of(first.id()), 15);
  }

  @Test
  void receivesDealtToAClosedQueuePairReturnAndItsCompletionsStay() {
    Shared shared = new Shared(16, 2);
    shared.postAll(16);
    shared.client(0).run(new SendRequest(1).send(1));
    shared.pairs.get(0).server().queuePair().close();
    Completion first = shared.receives.next();
    first.expectSuccess(first.id(), Opcode.RECEIVE);
    expectTheRest(shared, 1, Set.of(first.id()), 15);
  }

  @Test
  void receivesDealtToADeviceThatClosesReturn() {
    Shared shared = new Shared(16, 1);
    shared.postAll(16);
    fabric().client().close();
    shared.pairs.get(0).server().awaitState(State.ERROR);
    Endpoint client = new Endpoint(fabric(), fabric().server(), attributes -> attributes);
    shared.pairs.add(fabric().connect(client, shared.end()));
    expectTheRest(shared, 1, Set.of(), 16);
  }

  private static void expectTheRest(Shared shared, int pair, Set<Long> used, int count) {
    Set<Long> ids = new HashSet<>(used);
    for (int i = 0; i < count; i++) {
      shared.client(pair).run(new SendRequest(1).send(i));
      Completion received = shared.receives.next();
      received.expectSuccess(received.id(), Opcode.RECEIVE);
      assertThat(received.queuePair()).isEqualTo(shared.serverNumber(pair));
      assertThat(ids.add(received.id())).as("RECV %d used once", received.id()).isTrue();
    }
    assertThat(shared.receives.available()).isEmpty();
  }

  @Test
  void theLimitRaisesOneEventWhenFewerReceivesAreLeft() throws InterruptedException {
    Shared shared = new Shared(32, 3);
    shared.postAll(20);
    shared.queue.armLimit(10);
    assertThat(shared.queue.limit()).isEqualTo(10);
    for (int i = 0; i < 10; i++) {
      shared.client(i % 2).run(new SendRequest(1).send(i));
    }
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
    shared.client(2).run(new SendRequest(1).send(10));
    expectLimitEvent(shared);
    assertThat(shared.queue.limit()).isZero();
    for (int i = 0; i < 5; i++) {
      shared.client(0).run(new SendRequest(1).send(i));
    }
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
  }

  @Test
  void theLimitIsExactHoweverTheMessagesAreSpread() throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      Shared shared = new Shared(64, 4);
      shared.postAll(64);
      int limit = 1 + round * 3;
      shared.queue.armLimit(limit);
      for (int i = 0; i < 64 - limit; i++) {
        shared.client((i * i + round) % 4).run(new SendRequest(1).send(i));
        if (i % 5 == 0) {
          shared.receives.next();
        }
      }
      assertThat(shared.queue.limit()).isEqualTo(limit);
      shared.client(round % 4).run(new SendRequest(1).send(99));
      expectLimitEvent(shared);
      shared.pairs.forEach(pair -> pair.server().queuePair().close());
    }
  }

  @Test
  void aLimitThatIsReachedAlreadyRaisesItsEventAtOnce() throws InterruptedException {
    Shared shared = new Shared(32, 1);
    shared.postAll(5);
    shared.queue.armLimit(6);
    expectLimitEvent(shared);
    shared.queue.armLimit(5);
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
    expectFailure(() -> shared.queue.armLimit(33), Code.INVALID_ARGUMENT);
    expectFailure(() -> shared.queue.armLimit(-1), Code.INVALID_ARGUMENT);
  }

  private void expectLimitEvent(Shared shared) throws InterruptedException {
    assertThat(fabric().server().awaitAsyncEvent(Fabric.deadline()))
        .isEqualTo(
            new AsyncEvent.OfSharedReceiveQueue(
                AsyncEvent.Type.SHARED_RECEIVE_LIMIT_REACHED, shared.queue));
  }

  /** Recalls race with messages all the time: more senders than RECVs, and none is lost. */
  @Test
  void manySendersWithFewReceivesLoseNothingAndKeepTheirOrder() {
    int pairs = 8;
    int messages = Scale.of(1000, 50);
    Shared shared = new Shared(6, pairs);
    shared.postAll(6);
    List<Future<?>> senders = new ArrayList<>();
    for (ConnectedPair pair : shared.pairs) {
      senders.add(fabric().async(() -> sendAll(pair.client(), messages)));
    }
    Map<Integer, Integer> next = new HashMap<>();
    for (int i = 0; i < pairs * messages; i++) {
      Completion received = shared.receives.next();
      received.expectSuccess(received.id(), Opcode.RECEIVE, Integer.BYTES);
      int expected = next.merge(received.queuePair(), 1, Integer::sum) - 1;
      assertThat(received.immediate()).hasValue(expected);
      assertThat(shared.memory.memory().getInt(received.id() * SLOT)).isEqualTo(expected);
      shared.post(received.id());
    }
    senders.forEach(sender -> Await.result("sender", sender));
    assertThat(shared.receives.available()).isEmpty();
  }

  private static Void sendAll(Endpoint client, int messages) {
    TestMemory source = client.memory(messages * (long) Integer.BYTES);
    for (int i = 0; i < messages; i++) {
      source.memory().putInt(i * (long) Integer.BYTES, i);
      SendRequest request = new SendRequest(1).sendWithImmediate(i, i);
      client.run(source.addTo(request, i * (long) Integer.BYTES, Integer.BYTES));
    }
    return null;
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofMillis(100));
  }

  private static List<Long> ids(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }
}
