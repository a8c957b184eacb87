// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Scale;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The state machine as the application drives it: ibv_modify_qp(3). */
abstract class StateConformance extends Conformance {
  private static final int SIZE = 1 << 20;

  StateConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"RESET", "READY_TO_SEND", "SEND_QUEUE_DRAINED"})
  void onlyTheConnectionManagerLeavesReset(State next) {
    QueuePair queuePair = end().queuePair();
    expectFailure(() -> queuePair.modify(next), Code.INVALID_STATE);
    assertThat(queuePair.state()).isEqualTo(State.RESET);
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"RESET", "READY_TO_SEND", "SEND_QUEUE_DRAINED"})
  void nothingLeadsOutOfError(State next) {
    QueuePair queuePair = fabric().connect().client().queuePair();
    queuePair.modify(State.ERROR);
    expectFailure(() -> queuePair.modify(next), Code.INVALID_STATE);
    queuePair.modify(State.ERROR);
    assertThat(queuePair.state()).isEqualTo(State.ERROR);
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"RESET", "READY_TO_SEND"})
  void aConnectedQueuePairIsOnlyHeldOrBroken(State next) {
    ConnectedPair pair = fabric().connect();
    expectFailure(() -> pair.client().queuePair().modify(next), Code.INVALID_STATE);
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).send(1));
  }

  @Test
  void goingToErrorFromResetFlushesReceives() {
    Endpoint end = end();
    end.postReceive(1);
    end.queuePair().modify(State.ERROR);
    end.receives().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void goingToErrorFromConnectedBreaksBothEnds() {
    ConnectedPair pair = fabric().connect();
    pair.server().postReceive(1);
    pair.client().queuePair().modify(State.ERROR);
    pair.server().awaitState(State.ERROR);
    pair.server().receives().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void aHeldSendQueueTakesRequestsAndBeginsNoneUntilItGoesOn() throws InterruptedException {
    ConnectedPair pair = fabric().connect();
    Endpoint client = pair.client();
    TestMemory source = client.memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE).fill(2);
    client.queuePair().modify(State.SEND_QUEUE_DRAINED);
    assertThat(client.queuePair().state()).isEqualTo(State.SEND_QUEUE_DRAINED);
    expectDrained(client);
    for (int i = 0; i < 10; i++) {
      client.post(source.addTo(target.write(i, 0), 0, 1000).signaled());
    }
    assertThat(fabric().client().awaitAsyncEvent(soon())).isNull();
    assertThat(client.sends().available()).isEmpty();
    target.expect(0, SIZE, 2);
    client.queuePair().modify(State.READY_TO_SEND);
    for (int i = 0; i < 10; i++) {
      client.sends().next().expectSuccess(i, Opcode.WRITE);
    }
    target.expect(0, 1000, 1);
    assertThat(client.queuePair().state()).isEqualTo(State.READY_TO_SEND);
  }

  @Test
  void aHeldQueuePairStillReceivesAndServesItsPeer() throws InterruptedException {
    ConnectedPair pair = fabric().connect();
    pair.server().queuePair().modify(State.SEND_QUEUE_DRAINED);
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE);
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).send(1));
    pair.server().receives().next().expectSuccess(1, Opcode.RECEIVE);
    pair.client().run(source.addTo(target.write(2, 0), 0, SIZE));
    target.expect(0, SIZE, 1);
    pair.client().run(source.addTo(target.read(3, 0), 0, SIZE));
  }

  @Test
  void whatBeganBeforeTheHoldIsFinishedBeforeTheEvent() throws InterruptedException {
    ConnectedPair pair = fabric().connect();
    Endpoint client = pair.client();
    TestMemory source = client.memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE);
    for (int round = 0; round < Scale.of(30, 3); round++) {
      for (int i = 0; i < 40; i++) {
        client.post(source.addTo(target.write(i, 0), 0, SIZE).signaled());
      }
      client.queuePair().modify(State.SEND_QUEUE_DRAINED);
      expectDrained(client);
      List<Completion> done = new ArrayList<>(client.sends().available());
      assertThat(fabric().client().awaitAsyncEvent(Deadline.after(Duration.ofMillis(5)))).isNull();
      assertThat(client.sends().available()).as("completions after the event").isEmpty();
      client.queuePair().modify(State.READY_TO_SEND);
      done.addAll(client.sends().next(40 - done.size()));
      for (int i = 0; i < 40; i++) {
        done.get(i).expectSuccess(i, Opcode.WRITE);
      }
    }
    target.expect(0, SIZE, 1);
  }

  @Test
  void aSendThatWaitsForAReceiveKeepsTheQueueFromBeingDrained() throws InterruptedException {
    needs(Ability.WAITS_FOR_SENDS_TO_DRAIN);
    ConnectedPair pair = fabric().connect();
    Endpoint client = pair.client();
    client.post(new SendRequest(1).send(1).signaled());
    client.queuePair().modify(State.SEND_QUEUE_DRAINED);
    client.post(new SendRequest(1).send(2).signaled());
    assertThat(fabric().client().awaitAsyncEvent(soon())).isNull();
    pair.server().postReceive(1);
    pair.server().postReceive(2);
    expectDrained(client);
    client.sends().next().expectSuccess(1, Opcode.SEND);
    assertThat(client.sends().available()).isEmpty();
    client.queuePair().modify(State.READY_TO_SEND);
    client.sends().next().expectSuccess(2, Opcode.SEND);
  }

  @Test
  void breakingAHeldQueuePairFlushesWhatWaits() throws InterruptedException {
    Endpoint client = fabric().connect().client();
    client.queuePair().modify(State.SEND_QUEUE_DRAINED);
    expectDrained(client);
    for (int i = 0; i < 5; i++) {
      client.post(new SendRequest(1).send(i));
    }
    client.queuePair().modify(State.ERROR);
    assertThat(client.queuePair().state()).isEqualTo(State.ERROR);
    for (int i = 0; i < 5; i++) {
      client.sends().next().expectStatus(i, CompletionStatus.WORK_REQUEST_FLUSHED);
    }
  }

  private void expectDrained(Endpoint client) throws InterruptedException {
    assertThat(fabric().client().awaitAsyncEvent(Fabric.deadline()))
        .isEqualTo(
            new AsyncEvent.OfQueuePair(AsyncEvent.Type.SEND_QUEUE_DRAINED, client.queuePair()));
  }

  private Endpoint end() {
    return new Endpoint(fabric(), fabric().client(), attributes -> attributes);
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofMillis(100));
  }
}
