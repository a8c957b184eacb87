// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.ChildJvm;
import dev.verbena.testing.Pattern;
import dev.verbena.testing.Scale;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.conformance.PeerProcess.Part;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The peer is another process, which may die at any point. */
abstract class ProcessConformance extends Conformance {
  private static final int SIZE = 1 << 16;

  ProcessConformance(VerbsUnderTest provider) {
    super(provider);
  }

  /** A connected child and what it offers. */
  private record Peer(ChildJvm process, long address, int key) {}

  @Test
  void messagesGoToAnotherProcessAndBack() {
    Endpoint end = endpoint();
    Peer peer = start(end, Part.ECHO, new byte[0]);
    TestMemory memory = end.memory(2L * SIZE);
    for (int i = 0; i < Scale.of(1000, 100); i++) {
      int length = 1 + i * 61 % SIZE;
      memory.fill(0, length, i);
      end.post(memory.receive(i, SIZE, SIZE));
      end.run(memory.send(i, 0, length));
      end.receives().next().expectSuccess(i, Opcode.RECEIVE, length);
      memory.expect(SIZE, length, i);
    }
    end.queuePair().disconnect();
    assertThat(peer.process().awaitExit()).as(peer.process().errors()).isZero();
  }

  @Test
  void memoryOfAnotherProcessIsWrittenAndRead() {
    Endpoint end = endpoint();
    Peer peer = start(end, Part.IDLE, new byte[0]);
    TestMemory memory = end.memory(2L * PeerProcess.MEMORY).fill(0, PeerProcess.MEMORY, 5);
    end.run(memory.addTo(write(peer, 1), 0, PeerProcess.MEMORY));
    end.run(memory.addTo(read(peer, 2), PeerProcess.MEMORY, PeerProcess.MEMORY));
    memory.expect(PeerProcess.MEMORY, PeerProcess.MEMORY, 5);
  }

  @Test
  void whenThePeerIsKilledAllOutstandingRequestsEnd() {
    Endpoint end = endpoint();
    Peer peer = start(end, Part.IDLE, new byte[0]);
    for (int i = 0; i < 20; i++) {
      end.postReceive(i);
      end.post(new SendRequest(1).send(i));
    }
    peer.process().kill();
    expectFailedOnce(end.sends().next(20), 20);
    expectFailedOnce(end.receives().next(20), 20);
    end.awaitState(State.ERROR);
    end.post(new SendRequest(1).send(100));
    end.sends().next().expectStatus(100, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void receivesDealtToAKilledPeerReturnToTheSharedQueue() {
    Device device = fabric().server();
    var domain = fabric().own(device.createProtectionDomain());
    var receives = fabric().own(device.createCompletionQueue(64, null));
    SharedReceiveQueue shared =
        fabric().own(domain.createSharedReceiveQueue(new SharedReceiveQueueAttributes(16, 1)));
    UnaryOperator<QueuePairAttributes> sharing =
        attributes -> attributes.withSharedReceiveQueue(shared);
    for (int i = 0; i < 16; i++) {
      shared.postReceive(new ReceiveRequest(1).begin(i));
    }
    Endpoint doomed = new Endpoint(fabric(), device, domain, receives, receives, sharing);
    start(doomed, Part.IDLE, new byte[0]).process().kill();
    doomed.awaitState(State.ERROR);
    Endpoint healthy = new Endpoint(fabric(), device, domain, receives, receives, sharing);
    Endpoint client = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
    fabric().connect(client, healthy);
    for (int i = 0; i < 16; i++) {
      client.run(new SendRequest(1).send(i));
    }
    assertThat(healthy.receives().next(16))
        .allMatch(received -> received.status() == CompletionStatus.SUCCESS)
        .extracting(Completion::id)
        .doesNotHaveDuplicates();
  }

  @Test
  void aPeerThatExitsWithoutClosingIsNoticed() {
    Endpoint end = endpoint();
    end.postReceive(1);
    start(end, Part.EXIT, new byte[0]);
    end.receives().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
    end.awaitState(State.ERROR);
  }

  @Test
  void thePeersDeathWakesAThreadThatSleeps() {
    Device device = fabric().server();
    CompletionChannel channel = fabric().own(device.createCompletionChannel());
    CompletionQueue queue = fabric().own(device.createCompletionQueue(64, channel));
    Endpoint end =
        new Endpoint(
            fabric(),
            device,
            fabric().own(device.createProtectionDomain()),
            queue,
            queue,
            attributes -> attributes);
    Peer peer = start(end, Part.IDLE, new byte[0]);
    end.postReceive(1);
    queue.requestNotification(true);
    Future<CompletionQueue> sleeper = fabric().async(() -> channel.awaitEvent(Fabric.deadline()));
    peer.process().kill();
    assertThat(Await.result("event", sleeper)).isSameAs(queue);
    end.receives().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void requestsOnTheirWayWhenThePeerIsKilledEndWithAnError() {
    Endpoint end = endpoint();
    Peer peer = start(end, Part.IDLE, new byte[0]);
    TestMemory memory = end.memory(PeerProcess.MEMORY);
    for (int i = 0; i < 10; i++) {
      end.run(memory.addTo(read(peer, i), 0, PeerProcess.MEMORY));
      end.run(memory.addTo(write(peer, i), 0, PeerProcess.MEMORY));
    }
    peer.process().kill();
    CompletionStatus status;
    do {
      end.post(memory.addTo(read(peer, 1), 0, PeerProcess.MEMORY).signaled());
      status = end.sends().next().status();
    } while (status == CompletionStatus.SUCCESS);
    assertThat(status)
        .isIn(CompletionStatus.TRANSPORT_RETRY_EXCEEDED, CompletionStatus.WORK_REQUEST_FLUSHED);
    end.awaitState(State.ERROR);
  }

  /** A writer that dies in the middle of a WRITE does not block the owner of the memory. */
  @Test
  void memoryThatADeadPeerWasWritingCanBeDeregistered() {
    killWritersAndDeregister(end -> end.memory(PeerProcess.MEMORY));
  }

  /** Over shm the owner itself was copying for that peer. */
  @Test
  void aForeignBufferThatADeadPeerWasWritingCanBeDeregistered() {
    killWritersAndDeregister(end -> end.foreignMemory(PeerProcess.MEMORY, Endpoint.ALL_ACCESS));
  }

  private void killWritersAndDeregister(Function<Endpoint, TestMemory> targets) {
    for (int round = 0; round < Scale.of(3, 1); round++) {
      Endpoint end = endpoint();
      TestMemory target = targets.apply(end);
      Peer peer = start(end, Part.WRITE_ON, offer(target));
      target.putLong(0, 1);
      Await.until("a WRITE", () -> target.getLong(0) == 0);
      peer.process().kill();
      end.awaitState(State.ERROR);
      target.region().close();
      target.fill(7);
      target.expect(0, PeerProcess.MEMORY, 7);
    }
  }

  @Test
  void aWriterInAnotherProcessIsStoppedByDeregistering() {
    Endpoint end = endpoint();
    TestMemory target = end.memory(PeerProcess.MEMORY);
    Peer peer = start(end, Part.WRITE_ON, offer(target));
    target.putLong(0, 1);
    Await.until("a WRITE", () -> target.getLong(0) == 0);
    target.region().close();
    new Pattern(8).fill(target.memory(), 0, PeerProcess.MEMORY);
    assertThat(peer.process().nextLine())
        .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR.toString());
    assertThat(peer.process().awaitExit()).as(peer.process().errors()).isZero();
    target.expect(0, PeerProcess.MEMORY, 8);
  }

  @Test
  void aNewProcessCanConnectWhereAnotherOneDied() {
    Endpoint first = endpoint();
    start(first, Part.IDLE, new byte[0]).process().kill();
    first.awaitState(State.ERROR);
    Endpoint second = endpoint();
    start(second, Part.ECHO, new byte[0]);
    TestMemory memory = second.memory(SIZE).fill(1);
    second.post(memory.receive(1, 100, 100));
    second.run(memory.send(2, 0, 100));
    second.receives().next().expectSuccess(1, Opcode.RECEIVE, 100);
    memory.expect(100, 100, 1);
  }

  /** What the dead device left is gone once a survivor has been opened and closed. */
  @Test
  void aKilledPeerLeavesNoFilesToTheSurvivors() {
    Endpoint end = endpoint();
    Peer peer = start(end, Part.IDLE, new byte[0]);
    peer.process().kill();
    end.awaitState(State.ERROR);
    fabric().provider().open(fabric().directory()).close();
  }

  @Test
  void aClientKilledBeforeTheAcceptMakesItFail() {
    Listener listener = fabric().listen();
    ChildJvm process = launch(listener, Part.IDLE);
    ConnectionRequest request = Fabric.nextRequest(listener);
    process.kill();
    Endpoint end = endpoint();
    end.postReceive(1);
    expectFailure(
        () -> request.accept(end.queuePair(), new byte[0], Fabric.deadline()),
        VerbsException.Code.TIMED_OUT,
        VerbsException.Code.DISCONNECTED);
    end.receives().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  private Endpoint endpoint() {
    return new Endpoint(fabric(), fabric().server(), attributes -> attributes);
  }

  private Peer start(Endpoint end, Part part, byte[] answer) {
    Listener listener = fabric().listen();
    ChildJvm process = launch(listener, part);
    ConnectionRequest request = Fabric.nextRequest(listener);
    ByteBuffer offer = ByteBuffer.wrap(request.privateData());
    request.accept(end.queuePair(), answer, Fabric.deadline());
    assertThat(process.nextLine()).isEqualTo("connected");
    return new Peer(process, offer.getLong(), offer.getInt());
  }

  private ChildJvm launch(Listener listener, Part part) {
    return fabric()
        .own(
            ChildJvm.start(
                PeerProcess.class,
                fabric().provider().getClass().getName(),
                fabric().directory().toString(),
                listener.address().getAddress().getHostAddress(),
                String.valueOf(listener.address().getPort()),
                part.name()));
  }

  private static byte[] offer(TestMemory memory) {
    return ByteBuffer.allocate(PeerProcess.PRIVATE_BYTES)
        .putLong(memory.address(0))
        .putInt(memory.region().remoteKey())
        .array();
  }

  private static SendRequest write(Peer peer, long id) {
    return new SendRequest(1).write(id, peer.address(), peer.key());
  }

  private static SendRequest read(Peer peer, long id) {
    return new SendRequest(1).read(id, peer.address(), peer.key());
  }

  private static void expectFailedOnce(List<Completion> ended, int count) {
    assertThat(ended).extracting(Completion::id).doesNotHaveDuplicates().hasSize(count);
    assertThat(ended).noneMatch(done -> done.status() == CompletionStatus.SUCCESS);
  }
}
