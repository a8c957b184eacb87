// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Scale;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsException.Code;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signalling, full queues, batches, RNR: ibv_post_send(3), ibv_poll_cq(3). */
abstract class QueueConformance extends Conformance {
  private static final int SIZE = 1 << 16;
  private static final int MANY = Scale.of(4096, 256);

  QueueConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void aSendBeforeTheConnectionIsAnInvalidState() {
    Endpoint end = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
    expectFailure(() -> end.post(new SendRequest(1).send(1)), Code.INVALID_STATE);
    assertThat(end.queuePair().state()).isEqualTo(State.RESET);
    assertThat(end.queuePair().carrier()).isEmpty();
  }

  @Test
  void receivesMayBePostedBeforeTheConnection() {
    Endpoint client = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
    Endpoint server = new Endpoint(fabric(), fabric().server(), attributes -> attributes);
    TestMemory target = server.memory(SIZE);
    server.post(target.receive(1, 0, 100));
    client.postReceive(2);
    ConnectedPair pair = fabric().connect(client, server);
    TestMemory source = client.memory(SIZE).fill(5);
    pair.client().run(source.send(3, 0, 100));
    server.receives().next().expectSuccess(1, Opcode.RECEIVE, 100);
    target.expect(0, 100, 5);
    server.run(new SendRequest(1).send(4));
    client.receives().next().expectSuccess(2, Opcode.RECEIVE, 0);
  }

  @Test
  void onlySignaledRequestsComplete() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE);
    TestMemory target = pair.server().memory(SIZE);
    for (int i = 0; i < 100; i++) {
      SendRequest request = source.addTo(target.write(i, i * 8L), i * 8L, 8);
      pair.client().post(i % 10 == 9 ? request.signaled() : request);
    }
    for (int i = 9; i < 100; i += 10) {
      pair.client().sends().next().expectSuccess(i, Opcode.WRITE);
    }
    assertThat(pair.client().sends().available()).isEmpty();
  }

  @Test
  void theCompletionOfASignaledRequestImpliesTheEarlierOnes() {
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(2L * SIZE);
    TestMemory remote = pair.server().memory(SIZE);
    for (int round = 0; round < 100; round++) {
      local.fill(0, SIZE / 2, round);
      remote.fill(SIZE / 2, SIZE / 2, 1000 + round);
      pair.client().post(local.addTo(remote.write(1, 0), 0, SIZE / 2));
      pair.client().post(local.addTo(remote.read(2, SIZE / 2), SIZE, SIZE / 2));
      pair.client().run(local.addTo(remote.write(3, 0), 0, 8));
      local.expect(SIZE, SIZE / 2, 1000 + round);
      remote.expect(0, SIZE / 2, round);
    }
  }

  @Test
  void completionsOfOneQueueComeInTheOrderOfPosting() {
    ConnectedPair pair = fabric().connect(attributes -> attributes.withDepths(300, 300));
    TestMemory local = pair.client().memory(SIZE);
    TestMemory remote = pair.server().memory(SIZE);
    for (int i = 0; i < 300; i++) {
      pair.server().postReceive(i);
    }
    for (int i = 0; i < 300; i++) {
      SendRequest request =
          switch (i % 3) {
            case 0 -> local.addTo(remote.write(i, 0), 0, 1 + i * 97);
            case 1 -> local.addTo(remote.read(i, 0), 0, 1 + i * 53);
            default -> new SendRequest(1).send(i);
          };
      pair.client().post(request.signaled());
    }
    for (int i = 0; i < 300; i++) {
      Opcode opcode = List.of(Opcode.WRITE, Opcode.READ, Opcode.SEND).get(i % 3);
      pair.client().sends().next().expectSuccess(i, opcode);
    }
    for (int i = 0; i < 100; i++) {
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE);
    }
  }

  @Test
  void aFullSendQueueRefusesAndWorksAgainAfterPolling() {
    ConnectedPair pair = fabric().connect(attributes -> attributes.withDepths(16, 16));
    int accepted = 0;
    while (accepted < MANY && tryPost(pair.client(), accepted)) {
      accepted++;
    }
    assertThat(accepted).isBetween(16, MANY - 1);
    int received = 0;
    for (int i = 0; i < accepted; i++) {
      pair.server().postReceive(i);
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE);
      received++;
    }
    assertThat(received).isEqualTo(accepted);
    for (int i = 0; i < accepted; i++) {
      pair.client().sends().next().expectSuccess(i, Opcode.SEND);
    }
    pair.server().postReceive(77);
    pair.client().run(new SendRequest(1).send(78));
    pair.server().receives().next().expectSuccess(77, Opcode.RECEIVE);
  }

  @Test
  void aFullReceiveQueueRefuses() {
    Endpoint end =
        new Endpoint(fabric(), fabric().client(), attributes -> attributes.withDepths(8, 16));
    int accepted = 0;
    VerbsException refusal = null;
    while (accepted < MANY && refusal == null) {
      try {
        end.postReceive(accepted);
        accepted++;
      } catch (VerbsException e) {
        refusal = e;
      }
    }
    assertThat(accepted).isBetween(16, MANY - 1);
    assertThat(refusal.code()).isEqualTo(Code.RECEIVE_QUEUE_FULL);
  }

  @Test
  void aBatchIsAcceptedUpToWhereTheQueueIsFullAndGoesOnThere() {
    ConnectedPair pair = fabric().connect(attributes -> attributes.withDepths(16, 64));
    SendRequest[] batch = new SendRequest[MANY];
    for (int i = 0; i < MANY; i++) {
      batch[i] = new SendRequest(1).sendWithImmediate(i, i * 7).signaled();
    }
    int posted = pair.client().queuePair().postSend(batch, MANY);
    assertThat(posted).isBetween(16, MANY - 1);
    int sent = 0;
    for (int i = 0; i < MANY; i++) {
      pair.server().postReceive(i);
      Completion received = pair.server().receives().next();
      received.expectSuccess(i, Opcode.RECEIVE);
      assertThat(received.immediate()).hasValue(i * 7);
      for (Completion done : pair.client().sends().available()) {
        done.expectSuccess(sent++, Opcode.SEND);
      }
      int left = MANY - posted;
      if (left > 0) {
        SendRequest[] rest = new SendRequest[left];
        System.arraycopy(batch, posted, rest, 0, left);
        posted += pair.client().queuePair().postSend(rest, left);
      }
    }
    while (sent < MANY) {
      pair.client().sends().next().expectSuccess(sent++, Opcode.SEND);
    }
  }

  @Test
  void aBatchWithABadRequestPostsNone() {
    ConnectedPair pair = fabric().connect();
    int tooMuch = pair.client().queuePair().attributes().maxInline() + 1;
    SendRequest[] batch = {
      new SendRequest(1).send(1).signaled(),
      new SendRequest(1).send(2).inline(ByteBuffer.allocate(tooMuch), 0, tooMuch).signaled(),
      new SendRequest(1).send(3).signaled()
    };
    expectFailure(() -> pair.client().queuePair().postSend(batch, 3), Code.INVALID_ARGUMENT);
    pair.server().postReceive(1);
    pair.server().postReceive(2);
    pair.client().run(new SendRequest(1).sendWithImmediate(4, 44));
    assertThat(pair.server().receives().next().immediate()).hasValue(44);
    assertThat(pair.server().receives().available()).isEmpty();
  }

  @Test
  void aBatchUsesOnlyItsFirstRequestsAndCopiesThem() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE).fill(2);
    SendRequest[] batch = {
      source.addTo(target.write(1, 0), 0, 10).signaled(),
      source.addTo(target.write(2, 100), 0, 10).signaled(),
      source.addTo(target.write(3, 200), 0, 10).signaled()
    };
    assertThat(pair.client().queuePair().postSend(batch, 2)).isEqualTo(2);
    batch[0].send(99);
    pair.client().sends().next().expectSuccess(1, Opcode.WRITE);
    pair.client().sends().next().expectSuccess(2, Opcode.WRITE);
    assertThat(target.bytes(200, 10)).isNotEqualTo(source.bytes(0, 10));
    assertThat(target.bytes(100, 10)).isEqualTo(source.bytes(0, 10));
  }

  @Test
  void sendsWaitForAReceiveThatComesLate() {
    ConnectedPair pair = fabric().connect();
    TestMemory source = pair.client().memory(SIZE).fill(1);
    TestMemory target = pair.server().memory(SIZE);
    for (int i = 0; i < 3; i++) {
      pair.client().post(source.send(i, 0, 100 + i).signaled());
    }
    for (int i = 0; i < 10_000; i++) {
      assertThat(pair.client().sends().available()).isEmpty();
    }
    for (int i = 0; i < 3; i++) {
      pair.server().post(target.receive(i, i * 1000L, 1000));
    }
    for (int i = 0; i < 3; i++) {
      pair.server().receives().next().expectSuccess(i, Opcode.RECEIVE, 100 + i);
      pair.client().sends().next().expectSuccess(i, Opcode.SEND);
      target.expect(i * 1000L, 100 + i, 1);
    }
  }

  @Test
  void aPeerThatNeverPostsAReceiveEndsInRnrRetryExceeded() {
    ConnectedPair pair =
        fabric().connect(attributes -> attributes.withRnrRetries(4, Duration.ofMillis(50)));
    pair.client().post(new SendRequest(1).send(1).signaled());
    pair.client().post(new SendRequest(1).send(2).signaled());
    pair.client().sends().next().expectStatus(1, CompletionStatus.RNR_RETRY_EXCEEDED);
    pair.client().sends().next().expectStatus(2, CompletionStatus.WORK_REQUEST_FLUSHED);
    pair.client().awaitState(State.ERROR);
  }

  @Test
  void withoutRetriesAMissingReceiveIsAnErrorAtOnce() {
    ConnectedPair pair =
        fabric().connect(attributes -> attributes.withRnrRetries(0, Duration.ofMinutes(1)));
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).send(1));
    pair.client().post(new SendRequest(1).send(2).signaled());
    pair.client().sends().next().expectStatus(2, CompletionStatus.RNR_RETRY_EXCEEDED);
  }

  @Test
  void aWriteWithImmediateNeedsAReceiveToo() {
    ConnectedPair pair =
        fabric().connect(attributes -> attributes.withRnrRetries(4, Duration.ofMillis(50)));
    TestMemory target = pair.server().memory(SIZE);
    pair.client().post(target.writeWithImmediate(1, 0, 5).signaled());
    pair.client().sends().next().expectStatus(1, CompletionStatus.RNR_RETRY_EXCEEDED);
  }

  @Test
  void oneCompletionQueueServesManyQueuePairsInBothRoles() {
    CompletionQueue shared = fabric().own(fabric().server().createCompletionQueue(MANY, null));
    var domain = fabric().own(fabric().server().createProtectionDomain());
    List<ConnectedPair> pairs = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Endpoint client = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
      Endpoint server =
          new Endpoint(
              fabric(), fabric().server(), domain, shared, shared, attributes -> attributes);
      pairs.add(fabric().connect(client, server));
    }
    for (int i = 0; i < 16; i++) {
      Endpoint server = pairs.get(i).server();
      pairs.get(i).client().postReceive(i);
      server.postReceive(1000 + i);
      server.post(new SendRequest(1).send(2000 + i).signaled());
      pairs.get(i).client().run(new SendRequest(1).send(i));
    }
    int[] seen = new int[16];
    for (Completion done : new Completions(shared).next(32)) {
      assertThat(done.status()).isEqualTo(CompletionStatus.SUCCESS);
      int i = (int) (done.id() % 1000);
      assertThat(done.queuePair()).isEqualTo(pairs.get(i).server().queuePair().number());
      assertThat(done.opcode()).isEqualTo(done.id() < 2000 ? Opcode.RECEIVE : Opcode.SEND);
      seen[i]++;
    }
    assertThat(seen).containsOnly(2);
  }

  @Test
  void aCompletionQueueInUseCannotBeClosed() {
    ConnectedPair pair = fabric().connect();
    expectFailure(() -> pair.client().sends().queue().close(), Code.INVALID_STATE);
    expectFailure(() -> pair.client().receives().queue().close(), Code.INVALID_STATE);
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).send(2));
  }

  private static boolean tryPost(Endpoint end, long id) {
    try {
      end.post(new SendRequest(1).send(id).signaled());
      return true;
    } catch (VerbsException e) {
      assertThat(e.code()).isEqualTo(Code.SEND_QUEUE_FULL);
      return false;
    }
  }
}
