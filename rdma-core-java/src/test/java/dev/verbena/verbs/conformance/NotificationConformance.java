// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.testing.Await;
import dev.verbena.testing.Scale;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completion channels: ibv_req_notify_cq(3), ibv_get_cq_event(3). */
abstract class NotificationConformance extends Conformance {
  private static final int DEPTH = 256;

  NotificationConformance(VerbsUnderTest provider) {
    super(provider);
  }

  /** An end whose two completion queues have one channel each. */
  private record Waiter(Endpoint end, CompletionChannel sends, CompletionChannel receives) {}

  @Test
  void aCompletionAfterArmingRaisesAnEvent() throws InterruptedException {
    Waiter server = waiter(fabric().server());
    ConnectedPair pair = connect(server);
    CompletionQueue queue = server.end().receives().queue();
    for (int round = 0; round < 100; round++) {
      server.end().postReceive(round);
      queue.requestNotification(false);
      assertThat(server.end().receives().available()).isEmpty();
      pair.client().run(new SendRequest(1).send(round));
      assertThat(server.receives().awaitEvent(Fabric.deadline())).isSameAs(queue);
      server.end().receives().next().expectSuccess(round, Opcode.RECEIVE);
    }
  }

  @Test
  void aCompletionOfOnesOwnRequestRaisesAnEventToo() throws InterruptedException {
    Waiter server = waiter(fabric().server());
    ConnectedPair pair = connect(server);
    TestMemory local = server.end().memory(8L << 20);
    TestMemory remote = pair.client().memory(8L << 20).fill(3);
    CompletionQueue queue = server.end().sends().queue();
    for (int round = 0; round < 10; round++) {
      queue.requestNotification(false);
      server.end().post(local.addTo(remote.read(round, 0), 0, 8 << 20).signaled());
      assertThat(server.sends().awaitEvent(Fabric.deadline())).isSameAs(queue);
      server.end().sends().next().expectSuccess(round, Opcode.READ, 8 << 20);
    }
  }

  @Test
  void aSolicitedCompletionWakesAWaiterForSolicitedOnes() throws InterruptedException {
    Waiter server = waiter(fabric().server());
    ConnectedPair pair = connect(server);
    for (int round = 0; round < 100; round++) {
      server.end().postReceive(1);
      server.end().postReceive(2);
      server.end().receives().queue().requestNotification(true);
      pair.client().post(new SendRequest(1).send(1));
      pair.client().run(new SendRequest(1).send(2).solicited());
      awaitEventAnd(server, 2);
    }
  }

  @Test
  void aSolicitedWriteWithImmediateWakesAWaiterForSolicitedOnes() throws InterruptedException {
    Waiter server = waiter(fabric().server());
    ConnectedPair pair = connect(server);
    TestMemory target = server.end().memory(4096);
    server.end().postReceive(1);
    server.end().receives().queue().requestNotification(true);
    pair.client().run(target.writeWithImmediate(1, 0, 7).solicited());
    awaitEventAnd(server, 1);
  }

  @Test
  void anErrorWakesAWaiterForSolicitedOnes() throws InterruptedException {
    Waiter server = waiter(fabric().server());
    ConnectedPair pair = connect(server);
    server.end().postReceive(1);
    server.end().receives().queue().requestNotification(true);
    pair.client().queuePair().disconnect();
    assertThat(server.receives().awaitEvent(Fabric.deadline())).isNotNull();
    server.end().receives().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void aPeersDisconnectWakesAThreadThatSleeps() {
    Waiter server = waiter(fabric().server());
    ConnectedPair pair = connect(server);
    server.end().postReceive(1);
    server.end().receives().queue().requestNotification(false);
    Future<CompletionQueue> sleeper =
        fabric().async(() -> server.receives().awaitEvent(Fabric.deadline()));
    pair.client().queuePair().close();
    assertThat(Await.result("event", sleeper)).isSameAs(server.end().receives().queue());
    server.end().receives().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void oneChannelServesSeveralQueuesAndTellsWhich() throws InterruptedException {
    CompletionChannel channel = fabric().own(fabric().server().createCompletionChannel());
    ConnectedPair[] pairs = new ConnectedPair[4];
    for (int i = 0; i < pairs.length; i++) {
      Endpoint client = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
      pairs[i] = fabric().connect(client, end(fabric().server(), channel, channel));
      pairs[i].server().receives().queue().requestNotification(false);
    }
    for (int i = pairs.length - 1; i >= 0; i--) {
      pairs[i].server().postReceive(i);
      pairs[i].client().run(new SendRequest(1).send(i));
      assertThat(channel.awaitEvent(Fabric.deadline()))
          .isSameAs(pairs[i].server().receives().queue());
    }
  }

  @Test
  void withoutAnEventTheWaitEndsAtItsDeadline() throws InterruptedException {
    Waiter server = waiter(fabric().server());
    connect(server);
    server.end().receives().queue().requestNotification(false);
    Deadline soon = Deadline.after(Duration.ofMillis(50));
    assertThat(server.receives().awaitEvent(soon)).isNull();
    assertThat(soon.hasPassed()).isTrue();
  }

  @Test
  void aWakeUpEndsAWaitThatIsOnOrComes() throws InterruptedException {
    CompletionChannel channel = fabric().own(fabric().server().createCompletionChannel());
    channel.wakeUp();
    assertThat(channel.awaitEvent(Fabric.deadline())).isNull();
    for (int round = 0; round < 100; round++) {
      Future<CompletionQueue> waiting = fabric().async(() -> channel.awaitEvent(longDeadline()));
      channel.wakeUp();
      assertThat(Await.result("wake-up", waiting)).isNull();
    }
  }

  @Test
  void closingAChannelEndsTheWait() {
    CompletionChannel channel = fabric().own(fabric().server().createCompletionChannel());
    AtomicBoolean started = new AtomicBoolean();
    Future<CompletionQueue> waiting =
        fabric()
            .async(
                () -> {
                  started.set(true);
                  return channel.awaitEvent(longDeadline());
                });
    Await.until("waiter", started::get);
    channel.close();
    assertThat(Await.result("end of the wait", waiting)).isNull();
  }

  @Test
  void anInterruptEndsTheWait() throws InterruptedException {
    CompletionChannel channel = fabric().own(fabric().server().createCompletionChannel());
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> channel.awaitEvent(Fabric.deadline()))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    channel.wakeUp();
    assertThat(channel.awaitEvent(Fabric.deadline())).isNull();
  }

  @Test
  void aQueueWithoutAChannelCannotBeArmed() {
    CompletionQueue queue = fabric().own(fabric().server().createCompletionQueue(8, null));
    expectFailure(() -> queue.requestNotification(false), Code.INVALID_STATE);
  }

  /** A lost wake-up leaves both threads asleep, which the deadline of the wait tells. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noWakeUpIsLostBetweenTwoThreadsThatSleepInTurns(boolean solicitedOnly) {
    int rounds = Scale.of(5000, 100);
    Waiter server = waiter(fabric().server());
    Waiter client = waiter(fabric().client());
    fabric().connect(client.end(), server.end());
    client.end().postReceive(0);
    server.end().postReceive(0);
    Future<?> answering = fabric().async(() -> pingPong(server, rounds, solicitedOnly, false));
    Future<?> asking = fabric().async(() -> pingPong(client, rounds, solicitedOnly, true));
    Await.result("asking", asking);
    Await.result("answering", answering);
  }

  /** Arming races with a peer that never waits: the window between poll and arm is hit often. */
  @Test
  void noWakeUpIsLostUnderAStreamOfMessages() {
    int messages = Scale.of(20_000, 500);
    Waiter server = waiter(fabric().server());
    ConnectedPair pair = connect(server);
    for (int i = 0; i < 128; i++) {
      server.end().postReceive(i);
    }
    Future<?> stream =
        fabric()
            .async(
                () -> {
                  for (int i = 0; i < messages; i++) {
                    pair.client().run(new SendRequest(1).send(i));
                  }
                  return null;
                });
    Future<?> receiving =
        fabric()
            .async(
                () -> {
                  for (int i = 0; i < messages; i++) {
                    sleepUntilOne(server, false).expectSuccess(i % 128, Opcode.RECEIVE);
                    server.end().postReceive(i % 128);
                  }
                  return null;
                });
    Await.result("receiving", receiving);
    Await.result("sending", stream);
  }

  private static Void pingPong(Waiter own, int rounds, boolean solicitedOnly, boolean begins)
      throws InterruptedException {
    for (int i = 0; i < rounds; i++) {
      if (begins) {
        own.end().run(solicited(i));
      }
      sleepUntilOne(own, solicitedOnly).expectSuccess(i, Opcode.RECEIVE);
      own.end().postReceive(i + 1);
      if (!begins) {
        own.end().run(solicited(i));
      }
    }
    return null;
  }

  private static SendRequest solicited(long id) {
    return new SendRequest(1).send(id).solicited();
  }

  /** The next received completion, by the protocol of the man page: arm, look again, sleep. */
  private static Completion sleepUntilOne(Waiter own, boolean solicitedOnly)
      throws InterruptedException {
    Completions receives = own.end().receives();
    while (!receives.poll()) {
      receives.queue().requestNotification(solicitedOnly);
      if (!receives.poll()) {
        assertThat(own.receives().awaitEvent(Deadline.after(Duration.ofSeconds(20))))
            .as("an event within 20 s")
            .isNotNull();
      }
    }
    return receives.next();
  }

  private void awaitEventAnd(Waiter server, int completions) throws InterruptedException {
    assertThat(server.receives().awaitEvent(Fabric.deadline()))
        .isSameAs(server.end().receives().queue());
    server.end().receives().next(completions);
  }

  private ConnectedPair connect(Waiter server) {
    Endpoint client = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
    return fabric().connect(client, server.end());
  }

  private Waiter waiter(Device device) {
    CompletionChannel sends = fabric().own(device.createCompletionChannel());
    CompletionChannel receives = fabric().own(device.createCompletionChannel());
    return new Waiter(end(device, sends, receives), sends, receives);
  }

  private Endpoint end(Device device, CompletionChannel sends, CompletionChannel receives) {
    return new Endpoint(
        fabric(),
        device,
        fabric().own(device.createProtectionDomain()),
        fabric().own(device.createCompletionQueue(DEPTH, sends)),
        fabric().own(device.createCompletionQueue(DEPTH, receives)),
        attributes -> attributes);
  }

  private static Deadline longDeadline() {
    return Deadline.after(Duration.ofMinutes(2));
  }
}
