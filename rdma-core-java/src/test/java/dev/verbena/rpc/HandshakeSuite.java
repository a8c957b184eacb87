// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static dev.verbena.rpc.RpcFixture.ECHO;
import static dev.verbena.rpc.RpcFixture.echo;
import static dev.verbena.rpc.RpcFixture.options;
import static dev.verbena.rpc.RpcFixture.soon;
import static dev.verbena.rpc.RpcFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRejectedException;
import dev.verbena.verbs.TrafficClass;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who gets in, and what ends a connection that misbehaves. */
abstract class HandshakeSuite extends RpcSuite {
  HandshakeSuite(Carrier carrier) {
    super(carrier);
  }

  private RawPeer raw(RpcServer server) {
    return rpc().own(RawPeer.control(rpc().clientDevice(), server.address()));
  }

  private static ByteBuffer hello(VersionRange versions, InetSocketAddress server) {
    return new Hello(
            versions, 16, 4096, Nonce.fresh(new SecureRandom()), WireAddress.of(server), "raw")
        .encode();
  }

  /** Goes through the handshake up to where the bulk queue pair would be connected. */
  private Agreement authenticate(RawPeer peer, RpcServer server) {
    ClientHandshake handshake =
        new ClientHandshake(options(), VersionRange.SUPPORTED, server.address(), "raw");
    peer.sendHandshake(MessageKind.HELLO, handshake.hello());
    peer.sendHandshake(MessageKind.PROOF, handshake.challenge(peer.receive().payload()));
    return handshake.welcome(peer.receive().payload());
  }

  /** The same, and connects the bulk queue pair, so that calls may begin. */
  private Agreement join(RawPeer peer, RpcServer server) {
    Agreement agreement = authenticate(peer, server);
    rpc().own(RawPeer.bulk(rpc().clientDevice(), server.address(), ConnectData.bulk(agreement)));
    assertThat(peer.receive().kind()).isEqualTo(MessageKind.READY);
    return agreement;
  }

  private void expectServes(RpcServer server) {
    assertThat(text(rpc().connect(server).call(ECHO, text("next"), soon()))).isEqualTo("next");
  }

  @Test
  void aWrongSecretIsAnAuthenticationErrorOnBothEnds() {
    RpcServer server = rpc().serve(echo());
    RpcClient stranger =
        rpc().client(RpcOptions.of(RpcSecret.of(text("quite another secret").array())));
    RpcException failure =
        expectFailure(
            RpcException.Code.AUTHENTICATION, () -> stranger.connect(server.address(), soon()));
    assertThat(failure.mayHaveRun()).isFalse();
    Await.until(
        "the server to drop it",
        () ->
            server.statistics().authenticationFailures() == 1
                && server.statistics().unauthenticated() == 0);
    assertThat(server.statistics().calls()).isZero();
    expectServes(server);
  }

  @Test
  void aServerThatDoesNotKnowTheSecretIsNotBelieved() {
    ClientHandshake handshake =
        new ClientHandshake(
            options(), VersionRange.SUPPORTED, new InetSocketAddress("127.0.0.1", 7), "client");
    ByteBuffer challenge = hello(VersionRange.SUPPORTED, new InetSocketAddress("127.0.0.1", 7));
    ByteBuffer ownProof = handshake.challenge(challenge);
    // The best a stranger can do: send the client's own proof back.
    byte[] reflected = new byte[HandshakeProofs.LENGTH];
    ownProof.get(reflected);
    RpcException failure =
        expectFailure(
            RpcException.Code.AUTHENTICATION,
            () -> handshake.welcome(Welcome.encode(1, 2, reflected)));
    assertThat(failure).hasMessageContaining("could not prove");
  }

  @Test
  void aProofIsGoodForOneHandshakeOnly() {
    RpcServer server = rpc().serve(echo());
    ClientHandshake first =
        new ClientHandshake(options(), VersionRange.SUPPORTED, server.address(), "raw");
    RawPeer one = raw(server);
    one.sendHandshake(MessageKind.HELLO, first.hello());
    ByteBuffer proof = first.challenge(one.receive().payload());
    RawPeer two = raw(server);
    two.sendHandshake(MessageKind.HELLO, first.hello());
    assertThat(two.receive().kind()).isEqualTo(MessageKind.CHALLENGE);
    two.sendHandshake(MessageKind.PROOF, proof);
    RawPeer.Received answer = two.receive();
    assertThat(answer.kind()).isEqualTo(MessageKind.REFUSAL);
    assertThat(answer.status()).isEqualTo(MessageStatus.AUTHENTICATION);
    two.awaitBroken();
  }

  @Test
  void aClientThatDialledAnotherAddressIsRefused() {
    RpcServer server = rpc().serve(echo());
    RawPeer peer = raw(server);
    ClientHandshake handshake =
        new ClientHandshake(
            options(), VersionRange.SUPPORTED, new InetSocketAddress("127.0.0.1", 1), "raw");
    peer.sendHandshake(MessageKind.HELLO, handshake.hello());
    peer.sendHandshake(MessageKind.PROOF, handshake.challenge(peer.receive().payload()));
    assertThat(peer.receive().status()).isEqualTo(MessageStatus.AUTHENTICATION);
  }

  @Test
  void versionsWithoutOverlapAreRefusedByName() {
    RpcServer server = rpc().serve(echo());
    RpcClient future = rpc().client(new VersionRange(2, 3));
    RpcException failure =
        expectFailure(RpcException.Code.VERSION, () -> future.connect(server.address(), soon()));
    assertThat(failure).hasMessageContaining("version 1").hasMessageContaining("2 to 3");
    Await.until("the refusal", () -> server.statistics().versionFailures() == 1);
    RawPeer old = raw(server);
    old.sendHandshake(MessageKind.HELLO, hello(new VersionRange(0, 0), server.address()));
    RawPeer.Received answer = old.receive();
    assertThat(answer.kind()).isEqualTo(MessageKind.REFUSAL);
    assertThat(answer.status()).isEqualTo(MessageStatus.VERSION);
    old.awaitBroken();
    expectServes(server);
  }

  @Test
  void neighbouringVersionsAgreeOnTheLower() {
    RpcServer server = rpc().serve(echo(), new VersionRange(1, 2));
    RpcClient newer = rpc().client(new VersionRange(2, 3));
    RpcClient older = rpc().client(VersionRange.SUPPORTED);
    for (RpcClient client : List.of(newer, older)) {
      RpcConnection connection = rpc().connect(client, server.address());
      assertThat(text(connection.call(ECHO, text("hi"), soon()))).isEqualTo("hi");
    }
  }

  @Test
  void nothingButAHandshakeIsTakenBeforeItIsOver() {
    RpcServer server = rpc().serve(echo());
    RawPeer peer = raw(server);
    ByteBuffer payload = text("run this");
    peer.send(
        RawPeer.header()
            .set(
                1,
                MessageKind.REQUEST,
                MessageStatus.OK,
                ECHO,
                payload.remaining(),
                1,
                server.incarnation(),
                1_000_000),
        payload);
    peer.awaitBroken();
    assertThat(server.statistics().calls()).isZero();
    assertThat(server.statistics().protocolFailures()).isEqualTo(1);
    expectServes(server);
  }

  @Test
  void garbageEndsTheConnectionAndNothingElse() {
    RpcServer server = rpc().serve(echo());
    RpcConnection bystander = rpc().connect(server);
    Random random = new Random(20261129);
    for (int length : new int[] {0, 1, 39, 40, 500, 4096}) {
      byte[] garbage = new byte[length];
      random.nextBytes(garbage);
      RawPeer peer = raw(server);
      peer.send(ByteBuffer.wrap(garbage));
      peer.awaitBroken();
    }
    assertThat(server.statistics().protocolFailures()).isEqualTo(6);
    assertThat(text(bystander.call(ECHO, text("alive"), soon()))).isEqualTo("alive");
  }

  @Test
  void aLyingHelloEndsTheConnection() {
    RpcServer server = rpc().serve(echo());
    ByteBuffer good = hello(VersionRange.SUPPORTED, server.address());
    List<ByteBuffer> lies = new ArrayList<>();
    lies.add(good.duplicate().limit(20));
    int addressLength = 8 + Nonce.LENGTH;
    lies.add(copy(good).put(addressLength, (byte) 200));
    lies.add(copy(good).put(addressLength + 1, (byte) 60));
    lies.add(copy(good).putShort(2, (short) 0));
    lies.add(copy(good).putInt(4, -1));
    for (ByteBuffer lie : lies) {
      RawPeer peer = raw(server);
      peer.sendHandshake(MessageKind.HELLO, lie);
      peer.awaitBroken();
    }
    assertThat(server.statistics().protocolFailures()).isEqualTo(lies.size());
    expectServes(server);
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
    copy.put(0, bytes, bytes.position(), bytes.remaining());
    return copy;
  }

  @Test
  void anAuthenticatedPeerThatLiesIsCutOff() {
    RpcServer server = rpc().serve(echo());
    long bytes = RendezvousDescriptor.LENGTH;
    for (int lie = 0; lie < 5; lie++) {
      RawPeer peer = raw(server);
      long incarnation = join(peer, server).incarnation();
      MessageHeader header = RawPeer.header();
      ByteBuffer payload = ByteBuffer.allocate((int) bytes);
      MessageKind kind = lie == 3 ? MessageKind.RESPONSE : MessageKind.REQUEST;
      int length = lie == 0 ? Integer.MAX_VALUE : lie == 1 ? -1 : payload.remaining();
      header.set(1, kind, MessageStatus.OK, ECHO, length, 1, incarnation, 1_000_000);
      if (lie == 2) {
        header.setCredits(40_000);
      }
      if (lie == 4) {
        payload = ByteBuffer.allocate(7);
        header.set(
            1, MessageKind.REQUEST_RENDEZVOUS, MessageStatus.OK, ECHO, 7, 1, incarnation, 1000);
      }
      peer.send(header, payload);
      peer.awaitBroken();
    }
    assertThat(server.statistics().protocolFailures()).isEqualTo(5);
    assertThat(server.statistics().calls()).isZero();
    expectServes(server);
  }

  @Test
  void aRendezvousThatCannotBeReadBreaksItsConnectionOnly() {
    RpcServer server = rpc().serve(echo());
    RawPeer peer = raw(server);
    Agreement agreement = join(peer, server);
    ByteBuffer nowhere = new RendezvousDescriptor(0x1234, 100_000, 0x777).encode();
    peer.send(
        RawPeer.header()
            .set(
                1,
                MessageKind.REQUEST_RENDEZVOUS,
                MessageStatus.OK,
                ECHO,
                nowhere.remaining(),
                1,
                agreement.incarnation(),
                10_000_000),
        nowhere);
    peer.awaitBroken();
    expectServes(server);
  }

  @Test
  void aRequestForAnotherStartOfTheServerIsNotRun() {
    RpcServer server = rpc().serve(echo());
    RawPeer peer = raw(server);
    Agreement agreement = join(peer, server);
    peer.send(
        RawPeer.header()
            .set(
                1,
                MessageKind.REQUEST,
                MessageStatus.OK,
                ECHO,
                0,
                1,
                agreement.incarnation() + 1,
                1_000_000),
        ByteBuffer.allocate(0));
    RawPeer.Received answer = peer.receive();
    assertThat(answer.kind()).isEqualTo(MessageKind.RESPONSE);
    assertThat(answer.status()).isEqualTo(MessageStatus.WRONG_INCARNATION);
    assertThat(server.statistics().calls()).isZero();
  }

  @Test
  void aBulkQueuePairNeedsTheTokenOfItsHandshake() {
    RpcServer server = rpc().serve(echo());
    RawPeer peer = raw(server);
    Agreement agreement = authenticate(peer, server);
    ConnectData forged =
        new ConnectData(
            ConnectData.Purpose.BULK,
            agreement.sessionId(),
            new BulkToken(new byte[BulkToken.LENGTH]));
    ConnectionRejectedException rejected =
        catchThrowableOfType(
            ConnectionRejectedException.class,
            () -> RawPeer.bulk(rpc().clientDevice(), server.address(), forged));
    assertThat(rejected).isNotNull();
    assertThat(RejectData.decode(rejected.privateData())).isEqualTo(MessageStatus.AUTHENTICATION);
    // The honest owner of the session still gets in.
    rpc().own(RawPeer.bulk(rpc().clientDevice(), server.address(), ConnectData.bulk(agreement)));
    assertThat(peer.receive().kind()).isEqualTo(MessageKind.READY);
  }

  @Test
  void aConnectOfSomethingElseIsRejected() {
    RpcServer server = rpc().serve(echo());
    ConnectionRejectedException rejected =
        catchThrowableOfType(
            ConnectionRejectedException.class,
            () ->
                new RawPeer(
                    rpc().clientDevice(),
                    server.address(),
                    TrafficClass.CONTROL,
                    new byte[] {1, 2, 3}));
    assertThat(rejected).isNotNull();
    expectServes(server);
  }

  @Test
  void silentPeersAreBoundedInNumberAndTime() {
    RpcOptions strict = options().withConnections(8, 2, Duration.ofMillis(1500));
    RpcServer server = rpc().serve(echo(), strict);
    RawPeer one = raw(server);
    RawPeer two = raw(server);
    expectFailure(
        RpcException.Code.OVERLOADED, () -> rpc().client().connect(server.address(), soon()));
    one.awaitBroken();
    two.awaitBroken();
    Await.until("room for others", () -> server.statistics().unauthenticated() == 0);
    expectServes(server);
  }

  @Test
  void nobodyListensThere() {
    RpcServer server = rpc().serve(echo());
    InetSocketAddress gone = server.address();
    server.close();
    RpcException failure =
        catchThrowableOfType(
            RpcException.class,
            () -> rpc().client().connect(gone, Deadline.after(Duration.ofSeconds(2))));
    assertThat(failure.code()).isIn(RpcException.Code.UNREACHABLE, RpcException.Code.TIMED_OUT);
    assertThat(failure.mayHaveRun()).isFalse();
  }
}
