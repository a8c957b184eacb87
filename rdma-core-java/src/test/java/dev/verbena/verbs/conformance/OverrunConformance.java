// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import dev.verbena.verbs.WorkCompletion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Completion queue overruns and asynchronous events: ibv_create_cq(3), ibv_get_async_event(3). */
abstract class OverrunConformance extends Conformance {
  /** One less than a power of two, which a device that rounds up does not make more of. */
  private static final int ENTRIES = 15;

  private static final int SIZE = 1 << 12;

  OverrunConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void oneMoreReceivedMessageThanEntriesOverrunsTheQueue() throws InterruptedException {
    Endpoint server = small(fabric().server(), null);
    ConnectedPair pair = fabric().connect(plain(), server);
    send(pair, ENTRIES);
    overrun(pair);
    expectOverrun(fabric().server(), server);
  }

  @Test
  void asManyReceivedMessagesAsEntriesAreFine() throws InterruptedException {
    Endpoint server = small(fabric().server(), null);
    ConnectedPair pair = fabric().connect(plain(), server);
    for (int round = 0; round < 20; round++) {
      send(pair, ENTRIES);
      server.receives().next(ENTRIES);
    }
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
    assertThat(server.queuePair().state()).isEqualTo(State.READY_TO_SEND);
  }

  @Test
  void pollingInTimeAvoidsTheOverrun() throws InterruptedException {
    Endpoint server = small(fabric().server(), null);
    ConnectedPair pair = fabric().connect(plain(), server);
    send(pair, ENTRIES - 1);
    for (int i = 0; i < 200; i++) {
      send(pair, 1);
      server.receives().next();
    }
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
    send(pair, 1);
    overrun(pair);
    expectOverrun(fabric().server(), server);
  }

  @Test
  void oneMoreCompletedRequestThanEntriesOverrunsTheQueue() throws InterruptedException {
    Endpoint client = small(fabric().client(), null);
    ConnectedPair pair =
        fabric()
            .connect(client, new Endpoint(fabric(), fabric().server(), attributes -> attributes));
    TestMemory source = client.memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    for (int i = 0; i < ENTRIES; i++) {
      client.post(source.addTo(target.write(i, 0), 0, 8).signaled());
    }
    assertThat(fabric().client().awaitAsyncEvent(soon())).isNull();
    client.post(source.addTo(target.write(ENTRIES, 0), 0, 8).signaled());
    expectOverrun(fabric().client(), client);
    pair.server().awaitState(State.ERROR);
  }

  @Test
  void unsignaledRequestsNeedNoEntry() throws InterruptedException {
    Endpoint client = small(fabric().client(), null);
    ConnectedPair pair =
        fabric()
            .connect(client, new Endpoint(fabric(), fabric().server(), attributes -> attributes));
    TestMemory source = client.memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    for (int i = 0; i < 10 * ENTRIES; i++) {
      SendRequest request = source.addTo(target.write(i, 0), 0, 8);
      if (i % 16 == 15) {
        client.run(request);
      } else {
        client.post(request);
      }
    }
    assertThat(fabric().client().awaitAsyncEvent(soon())).isNull();
  }

  @Test
  void flushedRequestsNeedNoEntryOrTheirOverrunIsTold() throws InterruptedException {
    Endpoint server = small(fabric().server(), null);
    ConnectedPair pair = fabric().connect(plain(), server);
    for (int i = 0; i < 4 * ENTRIES; i++) {
      server.postReceive(i);
    }
    pair.client().queuePair().disconnect();
    if (!has(Ability.FLUSHES_WITHOUT_ENTRIES)) {
      expectOverrun(fabric().server(), server);
      return;
    }
    for (Completion flushed : server.receives().next(4 * ENTRIES)) {
      assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
  }

  @Test
  void anOverrunOfASharedQueueFailsAllItsQueuePairsAndNoOther() throws InterruptedException {
    CompletionQueue shared = fabric().own(fabric().server().createCompletionQueue(ENTRIES, null));
    List<ConnectedPair> pairs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      pairs.add(fabric().connect(plain(), end(fabric().server(), shared)));
    }
    ConnectedPair other = fabric().connect();
    for (ConnectedPair pair : pairs) {
      send(pair, ENTRIES / 5);
    }
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
    overrun(pairs.get(2));
    for (ConnectedPair pair : pairs) {
      pair.server().awaitState(State.ERROR);
      pair.client().awaitState(State.ERROR);
    }
    expectFailure(() -> shared.poll(WorkCompletion.array(1)), Code.NO_RESOURCES);
    other.server().postReceive(1);
    other.client().run(new SendRequest(1).send(1));
    other.server().receives().next().expectSuccess(1, Opcode.RECEIVE);
  }

  @Test
  void anOverrunWakesAThreadThatSleepsOnTheChannel() {
    CompletionChannel channel = fabric().own(fabric().server().createCompletionChannel());
    Endpoint server = small(fabric().server(), channel);
    ConnectedPair pair = fabric().connect(plain(), server);
    CompletionQueue queue = server.receives().queue();
    queue.requestNotification(true);
    Future<CompletionQueue> sleeper = fabric().async(() -> channel.awaitEvent(Fabric.deadline()));
    send(pair, ENTRIES);
    overrun(pair);
    assertThat(Await.result("event", sleeper)).isSameAs(queue);
    expectFailure(() -> queue.poll(WorkCompletion.array(1)), Code.NO_RESOURCES);
  }

  @Test
  void anOverrunQueueCanBeClosedAfterItsQueuePairs() throws InterruptedException {
    Endpoint server = small(fabric().server(), null);
    ConnectedPair pair = fabric().connect(plain(), server);
    send(pair, ENTRIES);
    overrun(pair);
    expectOverrun(fabric().server(), server);
    server.queuePair().close();
    server.receives().queue().close();
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
  }

  @Test
  void aWaitEndsAtItsDeadlineAfterAnOverrunQueueOfItsChannelWasClosed()
      throws InterruptedException {
    CompletionChannel channel = fabric().own(fabric().server().createCompletionChannel());
    Endpoint server = small(fabric().server(), channel);
    ConnectedPair pair = fabric().connect(plain(), server);
    send(pair, ENTRIES);
    overrun(pair);
    expectOverrun(fabric().server(), server);
    server.queuePair().close();
    server.receives().queue().close();
    for (int i = 0; i < 2; i++) {
      Future<CompletionQueue> waiting = fabric().async(() -> channel.awaitEvent(soon()));
      Await.until("the end of the wait", waiting::isDone);
    }
  }

  @Test
  void aDeniedAccessRaisesAnEventAtTheTarget() throws InterruptedException {
    needs(Ability.RAISES_ACCESS_ERRORS);
    ConnectedPair pair = fabric().connect();
    expectDenied(pair, pair.server().memory(SIZE).write(1, SIZE));
    pair.server().awaitState(State.ERROR);
  }

  @Test
  void aDeniedReadRaisesAnEventAtTheTarget() throws InterruptedException {
    needs(Ability.RAISES_ACCESS_ERRORS);
    ConnectedPair pair = fabric().connect();
    expectDenied(pair, pair.server().memory(SIZE).read(1, SIZE));
  }

  /** Posts a request that leaves its target, with a local buffer of 8 bytes. */
  private void expectDenied(ConnectedPair pair, SendRequest request) throws InterruptedException {
    pair.client().post(pair.client().memory(SIZE).addTo(request, 0, 8).signaled());
    pair.client().sends().next().expectStatus(1, CompletionStatus.REMOTE_ACCESS_ERROR);
    expectEvent(
        fabric().server(), AsyncEvent.Type.QUEUE_PAIR_ACCESS_ERROR, pair.server().queuePair());
  }

  @Test
  void aDisconnectRaisesNoEvent() throws InterruptedException {
    ConnectedPair pair = fabric().connect();
    pair.client().queuePair().disconnect();
    pair.server().awaitState(State.ERROR);
    assertThat(fabric().server().awaitAsyncEvent(soon())).isNull();
    assertThat(fabric().client().awaitAsyncEvent(soon())).isNull();
  }

  @Test
  void closingTheDeviceEndsTheWaitForEvents() {
    Future<AsyncEvent> waiting =
        fabric().async(() -> fabric().server().awaitAsyncEvent(Fabric.deadline()));
    fabric().server().close();
    assertThat(Await.result("end of the wait", waiting)).isNull();
  }

  private static void send(ConnectedPair pair, int messages) {
    for (int i = 0; i < messages; i++) {
      pair.server().postReceive(i);
      pair.client().run(new SendRequest(1).send(i));
    }
  }

  /** Sends the message for which there is no entry. */
  private void overrun(ConnectedPair pair) {
    pair.server().postReceive(ENTRIES);
    pair.client().post(new SendRequest(1).send(ENTRIES).signaled());
    Completion done = pair.client().sends().next();
    if (has(Ability.ACKNOWLEDGES_WHAT_OVERRUNS)) {
      done.expectSuccess(ENTRIES, Opcode.SEND);
    } else {
      assertThat(done.status()).isNotEqualTo(CompletionStatus.SUCCESS);
    }
  }

  private static void expectOverrun(Device device, Endpoint end) throws InterruptedException {
    CompletionQueue queue = end.receives().queue();
    assertThat(device.awaitAsyncEvent(Fabric.deadline()))
        .isEqualTo(new AsyncEvent.OfCompletionQueue(AsyncEvent.Type.COMPLETION_QUEUE_ERROR, queue));
    expectEvent(device, AsyncEvent.Type.QUEUE_PAIR_FATAL, end.queuePair());
    end.awaitState(State.ERROR);
    expectFailure(() -> queue.poll(WorkCompletion.array(1)), Code.NO_RESOURCES);
  }

  private static void expectEvent(Device device, AsyncEvent.Type type, QueuePair queuePair)
      throws InterruptedException {
    assertThat(device.awaitAsyncEvent(Fabric.deadline()))
        .isEqualTo(new AsyncEvent.OfQueuePair(type, queuePair));
  }

  private Endpoint plain() {
    return new Endpoint(fabric(), fabric().client(), attributes -> attributes);
  }

  /** An end with one completion queue of a few entries. */
  private Endpoint small(Device device, CompletionChannel channel) {
    return end(device, fabric().own(device.createCompletionQueue(ENTRIES, channel)));
  }

  private Endpoint end(Device device, CompletionQueue queue) {
    return new Endpoint(
        fabric(),
        device,
        fabric().own(device.createProtectionDomain()),
        queue,
        queue,
        attributes -> attributes);
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofMillis(100));
  }
}
