// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.ConnectionRejectedException;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsException.Code;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The connection manager: rdma_cm(7), with deadlines over all of it. */
abstract class ConnectionConformance extends Conformance {
  private static final byte[] NOTHING = {};
  private static final Duration SHORT = Duration.ofMillis(300);

  ConnectionConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void privateDataUpToTheLimitGoesBothWays() {
    int limit = fabric().client().attributes().maxPrivateData();
    assertThat(limit).as("what rdma_connect(3) grants at least").isGreaterThanOrEqualTo(56);
    Listener listener = fabric().listen();
    for (int length : new int[] {0, 1, 56, limit}) {
      Endpoint client = endpoint();
      Endpoint server = serverEndpoint();
      byte[] question = new Pattern(1).bytes(0, length);
      byte[] answer = new Pattern(2).bytes(0, length);
      Future<byte[]> connect = fabric().async(() -> connect(client, listener.address(), question));
      ConnectionRequest request = Fabric.nextRequest(listener);
      expectPadded(request.privateData(), question);
      request.accept(server.queuePair(), answer, Fabric.deadline());
      expectPadded(Await.result("connect", connect), answer);
      fabric().noteConnected(client);
      fabric().noteConnected(server);
    }
  }

  @Test
  void privateDataOverTheLimitIsAnInvalidArgument() {
    byte[] tooMuch = new byte[fabric().client().attributes().maxPrivateData() + 1];
    Listener listener = fabric().listen();
    Endpoint first = endpoint();
    expectFailure(() -> connect(first, listener.address(), tooMuch), Code.INVALID_ARGUMENT);
    Endpoint client = endpoint();
    Endpoint server = serverEndpoint();
    Future<byte[]> connect = fabric().async(() -> connect(client, listener.address(), NOTHING));
    ConnectionRequest request = Fabric.nextRequest(listener);
    expectFailure(() -> request.reject(tooMuch), Code.INVALID_ARGUMENT);
    expectFailure(
        () -> request.accept(server.queuePair(), tooMuch, Fabric.deadline()),
        Code.INVALID_ARGUMENT);
    request.reject(NOTHING);
    assertThat(Await.failure("connect", connect)).isInstanceOf(ConnectionRejectedException.class);
  }

  @Test
  void aRejectTellsItsPrivateData() {
    byte[] reason = new Pattern(3).bytes(0, 56);
    Listener listener = fabric().listen();
    Endpoint client = endpoint();
    Future<byte[]> connect = fabric().async(() -> connect(client, listener.address(), NOTHING));
    Fabric.nextRequest(listener).reject(reason);
    Throwable failure = Await.failure("connect", connect);
    assertThat(failure).isInstanceOf(ConnectionRejectedException.class);
    ConnectionRejectedException rejected = (ConnectionRejectedException) failure;
    assertThat(rejected.code()).isEqualTo(Code.REJECTED);
    expectPadded(rejected.privateData(), reason);
    assertThat(client.queuePair().state()).isEqualTo(State.ERROR);
  }

  @Test
  void afterARejectAnotherConnectSucceeds() {
    Listener listener = fabric().listen();
    Endpoint refused = endpoint();
    Future<byte[]> connect = fabric().async(() -> connect(refused, listener.address(), NOTHING));
    Fabric.nextRequest(listener).reject(NOTHING);
    Await.failure("connect", connect);
    expectWorks(fabric().connect(endpoint(), serverEndpoint(), listener));
  }

  @Test
  void wherePeopleListenedOnceIsUnreachable() {
    Listener listener = fabric().listen();
    InetSocketAddress address = listener.address();
    listener.close();
    Endpoint client = endpoint();
    expectFailure(() -> connect(client, address, NOTHING), Code.UNREACHABLE);
    assertThat(client.queuePair().state()).isEqualTo(State.ERROR);
  }

  @Test
  void aListenerThatNeverAnswersEndsInTimedOut() {
    Listener listener = fabric().listen();
    Endpoint client = endpoint();
    Deadline deadline = Deadline.after(SHORT);
    expectFailure(() -> connect(client, listener.address(), NOTHING, deadline), Code.TIMED_OUT);
    assertThat(deadline.hasPassed()).isTrue();
    assertThat(client.queuePair().state()).isEqualTo(State.ERROR);
  }

  @Test
  void aDeadlineThatHasPassedEndsInTimedOut() {
    Listener listener = fabric().listen();
    Endpoint client = endpoint();
    Deadline passed = Deadline.after(Duration.ZERO);
    expectFailure(() -> connect(client, listener.address(), NOTHING, passed), Code.TIMED_OUT);
  }

  @Test
  void acceptingAClientThatGaveUpFails() {
    Listener listener = fabric().listen();
    Endpoint client = endpoint();
    Future<byte[]> connect =
        fabric().async(() -> connect(client, listener.address(), NOTHING, Deadline.after(SHORT)));
    ConnectionRequest request = Fabric.nextRequest(listener);
    assertThat(Await.failure("connect", connect)).isInstanceOf(VerbsException.class);
    Endpoint server = serverEndpoint();
    server.postReceive(1);
    expectFailure(
        () -> request.accept(server.queuePair(), NOTHING, Fabric.deadline()),
        Code.TIMED_OUT,
        Code.DISCONNECTED);
    assertThat(server.queuePair().state()).isEqualTo(State.ERROR);
    expectWorks(fabric().connect(endpoint(), serverEndpoint(), listener));
  }

  @Test
  void requestsNotYetTakenAreRejectedWhenTheListenerCloses() {
    Listener listener = fabric().listen();
    Endpoint first = endpoint();
    Endpoint second = endpoint();
    Future<byte[]> taken = fabric().async(() -> connect(first, listener.address(), NOTHING));
    ConnectionRequest request = Fabric.nextRequest(listener);
    Future<byte[]> waiting = fabric().async(() -> connect(second, listener.address(), NOTHING));
    listener.close();
    Throwable failure = Await.failure("connect", waiting);
    assertThat(failure).isInstanceOf(VerbsException.class);
    assertThat(((VerbsException) failure).code())
        .as("too late to be seen, or seen and rejected")
        .isIn(Code.REJECTED, Code.UNREACHABLE);
    Endpoint server = serverEndpoint();
    request.accept(server.queuePair(), NOTHING, Fabric.deadline());
    Await.result("connect", taken);
    expectWorks(new ConnectedPair(first, server));
  }

  @Test
  void waitingForARequestEndsAtTheDeadlineAndAtClose() throws InterruptedException {
    Listener listener = fabric().listen();
    assertThat(listener.nextRequest(Deadline.after(Duration.ofMillis(20)))).isNull();
    Future<ConnectionRequest> waiting =
        fabric().async(() -> listener.nextRequest(Fabric.deadline()));
    listener.close();
    assertThat(Await.result("end of the wait", waiting)).isNull();
    assertThat(listener.nextRequest(Fabric.deadline())).isNull();
  }

  @Test
  void portZeroChoosesOne() {
    Listener first = fabric().listen();
    Listener second = fabric().listen();
    assertThat(first.address().getPort()).isPositive().isNotEqualTo(second.address().getPort());
    assertThat(first.address().getAddress()).isEqualTo(fabric().provider().address());
    expectWorks(fabric().connect(endpoint(), serverEndpoint(), second));
    expectWorks(fabric().connect(endpoint(), serverEndpoint(), first));
  }

  @Test
  void anAddressInUseCannotBeListenedAt() {
    Listener first = fabric().listen();
    assertThat(catchThrowable(() -> fabric().server().listen(first.address(), 1).close()))
        .isInstanceOf(VerbsException.class);
    expectWorks(fabric().connect(endpoint(), serverEndpoint(), first));
  }

  @Test
  void ipv6Works() {
    InetAddress address = fabric().provider().ipv6Address();
    assumeTrue(canListen(address), "no IPv6 on this machine");
    Listener listener =
        fabric().own(fabric().server().listen(new InetSocketAddress(address, 0), 4));
    assertThat(listener.address().getAddress()).isEqualTo(address);
    Endpoint client = endpoint();
    Endpoint server = serverEndpoint();
    Future<byte[]> connect = fabric().async(() -> connect(client, listener.address(), NOTHING));
    ConnectionRequest request = Fabric.nextRequest(listener);
    assertThat(request.remoteAddress().getAddress()).isEqualTo(address);
    request.accept(server.queuePair(), NOTHING, Fabric.deadline());
    Await.result("connect", connect);
    fabric().noteConnected(client);
    fabric().noteConnected(server);
    expectWorks(new ConnectedPair(client, server));
  }

  @Test
  void aSourceOfAnotherFamilyThanTheTargetIsRefusedAndLeavesNothing() {
    Listener listener = fabric().listen();
    InetAddress source = fabric().provider().ipv6Address();
    ConnectionParameters parameters =
        new ConnectionParameters(
            listener.address(), new InetSocketAddress(source, 0), NOTHING, Fabric.deadline());
    Endpoint client = endpoint();
    expectFailure(
        () -> fabric().client().connect(client.queuePair(), parameters),
        Code.UNREACHABLE,
        Code.INVALID_ARGUMENT);
    expectWorks(fabric().connect(endpoint(), serverEndpoint(), listener));
  }

  @Test
  void theSourceAddressIsHonoured() {
    InetAddress source = fabric().provider().otherSource();
    Listener listener = fabric().listen();
    Endpoint client = endpoint();
    Endpoint server = serverEndpoint();
    ConnectionParameters parameters =
        new ConnectionParameters(
            listener.address(), new InetSocketAddress(source, 0), NOTHING, Fabric.deadline());
    Future<byte[]> connect =
        fabric().async(() -> fabric().client().connect(client.queuePair(), parameters));
    ConnectionRequest request = Fabric.nextRequest(listener);
    assertThat(request.remoteAddress().getAddress()).isEqualTo(source);
    request.accept(server.queuePair(), NOTHING, Fabric.deadline());
    Await.result("connect", connect);
    expectWorks(new ConnectedPair(client, server));
  }

  @Test
  void aConnectedQueuePairCannotBeConnectedAgain() {
    ConnectedPair pair = fabric().connect();
    Listener listener = fabric().listen();
    expectFailure(() -> connect(pair.client(), listener.address(), NOTHING), Code.INVALID_STATE);
  }

  @Test
  void sixtyFourConnectionsOfOneDevicePairWorkSideBySide() {
    Listener listener = fabric().listen();
    List<ConnectedPair> pairs = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      pairs.add(fabric().connect(endpoint(), serverEndpoint(), listener));
    }
    List<TestMemory> targets = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      TestMemory target = pairs.get(i).server().memory(4096);
      targets.add(target);
      pairs.get(i).server().post(target.receive(i, 0, 4096));
    }
    for (int i = 0; i < 64; i++) {
      TestMemory source = pairs.get(i).client().memory(4096).fill(i);
      pairs.get(i).client().post(source.send(i, 0, 100 + i).signaled());
    }
    for (int i = 63; i >= 0; i--) {
      pairs.get(i).server().receives().next().expectSuccess(i, Opcode.RECEIVE, 100 + i);
      pairs.get(i).client().sends().next().expectSuccess(i, Opcode.SEND);
      targets.get(i).expect(0, 100 + i, i);
    }
    assertThat(pairs.stream().map(pair -> pair.server().queuePair().number()).distinct())
        .hasSize(64);
  }

  @Test
  void manyConnectAtOnce() {
    Listener listener = fabric().listen();
    List<Future<byte[]>> connects = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Endpoint client = endpoint();
      byte[] name = {(byte) i};
      connects.add(
          fabric()
              .async(
                  () -> {
                    byte[] answer = connect(client, listener.address(), name);
                    assertThat(answer[0]).isEqualTo((byte) (name[0] + 1));
                    return answer;
                  }));
    }
    for (int i = 0; i < 16; i++) {
      ConnectionRequest request = Fabric.nextRequest(listener);
      byte[] answer = {(byte) (request.privateData()[0] + 1)};
      request.accept(serverEndpoint().queuePair(), answer, Fabric.deadline());
    }
    connects.forEach(connect -> Await.result("connect", connect));
  }

  @Test
  void aDeviceConnectsToItself() {
    Endpoint one = endpoint();
    Endpoint other = endpoint();
    expectWorks(fabric().connect(one, other));
  }

  private Endpoint endpoint() {
    return new Endpoint(fabric(), fabric().client(), attributes -> attributes);
  }

  private Endpoint serverEndpoint() {
    return new Endpoint(fabric(), fabric().server(), attributes -> attributes);
  }

  private static byte[] connect(Endpoint end, InetSocketAddress to, byte[] privateData) {
    return connect(end, to, privateData, Fabric.deadline());
  }

  private static byte[] connect(
      Endpoint end, InetSocketAddress to, byte[] privateData, Deadline deadline) {
    return end.device()
        .connect(end.queuePair(), new ConnectionParameters(to, null, privateData, deadline));
  }

  private static void expectWorks(ConnectedPair pair) {
    pair.server().postReceive(1);
    pair.client().run(new SendRequest(1).sendWithImmediate(2, 3));
    Completion received = pair.server().receives().next();
    received.expectSuccess(1, Opcode.RECEIVE, 0);
    assertThat(received.immediate()).hasValue(3);
  }

  /** rdma_get_cm_event(3): what arrives may be longer than what was sent, by zeros. */
  private static void expectPadded(byte[] arrived, byte[] sent) {
    assertThat(arrived).hasSizeGreaterThanOrEqualTo(sent.length);
    assertThat(arrived).isEqualTo(Arrays.copyOf(sent, arrived.length));
  }

  private static boolean canListen(InetAddress address) {
    try (ServerSocket socket = new ServerSocket(0, 1, address)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
