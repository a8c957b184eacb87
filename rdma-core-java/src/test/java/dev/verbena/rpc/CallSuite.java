// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static dev.verbena.rpc.RpcFixture.ECHO;
import static dev.verbena.rpc.RpcFixture.ECHO_INLINE;
import static dev.verbena.rpc.RpcFixture.echo;
import static dev.verbena.rpc.RpcFixture.options;
import static dev.verbena.rpc.RpcFixture.soon;
import static dev.verbena.rpc.RpcFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Calls that succeed. */
abstract class CallSuite extends RpcSuite {
  private static final int CHECKSUM = 10;

  CallSuite(Carrier carrier) {
    super(carrier);
  }

  private static ByteBuffer pattern(long seed, int length) {
    return ByteBuffer.wrap(new Pattern(seed).bytes(0, length));
  }

  /** Answers with length and CRC32C of the request. */
  private static void checksum(RpcCall call) {
    byte[] copy = new byte[call.request().remaining()];
    call.request().get(copy);
    CRC32C crc = new CRC32C();
    crc.update(copy);
    call.reply(ByteBuffer.allocate(16).putLong(copy.length).putLong(crc.getValue()).flip());
  }

  private static ByteBuffer checksumOf(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return ByteBuffer.allocate(16).putLong(bytes.remaining()).putLong(crc.getValue()).flip();
  }

  @Test
  void anEchoReturnsTheBytesOfEachLength() {
    RpcConnection connection = rpc().connect(echo());
    int eager = options().eagerBytes() - MessageHeader.LENGTH;
    for (int length : new int[] {0, 1, 63, 300, eager - 1, eager, eager + 1, 70_000, 3 << 20}) {
      for (int method : new int[] {ECHO, ECHO_INLINE}) {
        ByteBuffer request = pattern(length, length);
        ByteBuffer response = connection.call(method, request, soon());
        assertThat(response).as(length + " bytes, method " + method).isEqualTo(request);
        assertThat(request.position()).isZero();
      }
    }
  }

  @Test
  void theResponseGoesIntoTheCallersBufferAtItsPosition() {
    RpcConnection connection = rpc().connect(echo());
    for (ByteBuffer response :
        List.of(ByteBuffer.allocate(100_000), ByteBuffer.allocateDirect(100_000))) {
      response.position(7);
      assertThat(connection.call(ECHO, pattern(1, 100), response, soon())).isEqualTo(100);
      assertThat(connection.call(ECHO, pattern(2, 50_000), response, soon())).isEqualTo(50_000);
      assertThat(response.position()).isEqualTo(50_107);
      assertThat(response.slice(7, 100)).isEqualTo(pattern(1, 100));
      assertThat(response.slice(107, 50_000)).isEqualTo(pattern(2, 50_000));
    }
  }

  @Test
  void aDirectRequestIsReadFromPositionToLimit() {
    RpcConnection connection = rpc().connect(echo());
    ByteBuffer request = ByteBuffer.allocateDirect(64);
    request.put(10, "verbena".getBytes(StandardCharsets.UTF_8));
    request.position(10).limit(17);
    assertThat(text(connection.call(ECHO, request, soon()))).isEqualTo("verbena");
  }

  @Test
  void moreAsynchronousCallsThanCreditsEachGetTheirOwnAnswer() {
    RpcOptions few = options().withReceiveBuffers(1024, 4);
    RpcServer server = rpc().serve(echo(), few);
    RpcConnection connection = rpc().connect(rpc().client(few), server.address());
    List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      answers.add(connection.callAsync(i % 2 == 0 ? ECHO : ECHO_INLINE, text("call " + i), soon()));
    }
    for (int i = 0; i < answers.size(); i++) {
      assertThat(text(Await.result("call " + i, answers.get(i)))).isEqualTo("call " + i);
    }
  }

  @Test
  void creditsOfAStuckServerRunOutAndComeBack() {
    RpcOptions few = options().withReceiveBuffers(1024, 4);
    CountDownLatch release = new CountDownLatch(1);
    RpcMethods methods =
        echo()
            .add(
                20,
                call -> {
                  release.await();
                  call.reply(call.request());
                });
    RpcServer server = rpc().serve(methods, few);
    RpcConnection connection = rpc().connect(rpc().client(few), server.address());
    List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      answers.add(connection.callAsync(20, text("stuck " + i), soon()));
    }
    // The workers are stuck, the connection is not.
    assertThat(text(connection.call(ECHO_INLINE, text("alive"), soon()))).isEqualTo("alive");
    assertThat(answers).noneMatch(CompletableFuture::isDone);
    release.countDown();
    for (int i = 0; i < answers.size(); i++) {
      assertThat(text(Await.result("call " + i, answers.get(i)))).isEqualTo("stuck " + i);
    }
  }

  @Test
  void sixteenThreadsShareAConnection() throws InterruptedException {
    RpcMethods methods = new RpcMethods().add(CHECKSUM, CallSuite::checksum);
    RpcConnection connection = rpc().connect(methods);
    int calls = 400;
    ExecutorService threads = Executors.newFixedThreadPool(16);
    List<Future<Integer>> all = new ArrayList<>();
    for (int t = 0; t < 16; t++) {
      long seed = t;
      all.add(threads.submit(() -> callChecksum(connection, seed, calls)));
    }
    for (Future<Integer> one : all) {
      assertThat(Await.result("a thread's calls", one)).isEqualTo(calls);
    }
    threads.shutdown();
  }

  private static int callChecksum(RpcConnection connection, long seed, int calls) {
    ByteBuffer response = ByteBuffer.allocate(16);
    int good = 0;
    for (int i = 0; i < calls; i++) {
      int length = i % 50 == 49 ? 100_000 + i : (int) (seed * 131 + i * 17L) % 4000;
      ByteBuffer request = pattern(seed * 1000 + i, length);
      connection.call(CHECKSUM, request, response.clear(), soon());
      if (response.flip().equals(checksumOf(request))) {
        good++;
      }
    }
    return good;
  }

  @Test
  void severalConnectionsOfOneClientWorkAtTheSameTime() {
    RpcServer server = rpc().serve(echo());
    RpcClient client = rpc().client();
    List<RpcConnection> connections = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      connections.add(rpc().connect(client, server.address()));
    }
    List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      answers.add(connections.get(i % 8).callAsync(ECHO, text("call " + i), soon()));
      if (i % 10 == 0) {
        assertThat(text(connections.get(i % 8).call(ECHO_INLINE, text("sync"), soon())))
            .isEqualTo("sync");
      }
    }
    for (int i = 0; i < answers.size(); i++) {
      assertThat(text(Await.result("call " + i, answers.get(i)))).isEqualTo("call " + i);
    }
    assertThat(server.statistics().connections()).isEqualTo(8);
  }

  @Test
  void messagesOf64MebibytesTravelInBoundedMemory() {
    int length = 64 << 20;
    RpcOptions bounded = options().withMessages(length, 128L << 20);
    RpcServer server = rpc().serve(echo().add(CHECKSUM, CallSuite::checksum), bounded);
    RpcConnection connection = rpc().connect(rpc().client(bounded), server.address());
    ByteBuffer request = pattern(5, length);
    // Each pool holds one such message at a time: three at once have to take turns.
    List<CompletableFuture<ByteBuffer>> sums = new ArrayList<>();
    ExecutorService callers = Executors.newFixedThreadPool(3);
    for (int i = 0; i < 3; i++) {
      sums.add(
          CompletableFuture.supplyAsync(
              () -> connection.call(CHECKSUM, request.duplicate(), soon()), callers));
    }
    for (CompletableFuture<ByteBuffer> sum : sums) {
      assertThat(Await.result("checksum of 64 MiB", sum)).isEqualTo(checksumOf(request));
    }
    callers.shutdown();
    ByteBuffer response = ByteBuffer.allocate(length);
    assertThat(connection.call(ECHO, request, response, soon())).isEqualTo(length);
    assertThat(response.flip()).isEqualTo(request);
  }

  @Test
  void oneWayRequestsReachTheirHandler() throws InterruptedException {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    RpcConnection connection =
        rpc()
            .connect(
                new RpcMethods().add(5, call -> seen.add(call.request().remaining() + " bytes")));
    connection.send(5, pattern(1, 10), soon());
    assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo("10 bytes");
    connection.send(5, pattern(1, 100_000), soon());
    assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo("100000 bytes");
  }

  @Test
  void aHandlerMayAnswerLaterFromAnotherThread() {
    BlockingQueue<RpcCall> waiting = new LinkedBlockingQueue<>();
    RpcConnection connection = rpc().connect(new RpcMethods().addInline(7, waiting::add));
    List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(connection.callAsync(7, text("later " + i), soon()));
    }
    Await.until("calls to arrive", () -> waiting.size() == 20);
    List<RpcCall> calls = new ArrayList<>(waiting);
    for (int i = calls.size() - 1; i >= 0; i--) {
      calls.get(i).reply(calls.get(i).request());
    }
    for (int i = 0; i < answers.size(); i++) {
      assertThat(text(Await.result("answer " + i, answers.get(i)))).isEqualTo("later " + i);
    }
  }

  @Test
  void theHandlerIsToldWhoCallsAndUntilWhen() {
    BlockingQueue<RpcPeer> peers = new LinkedBlockingQueue<>();
    BlockingQueue<Deadline> deadlines = new LinkedBlockingQueue<>();
    RpcConnection connection =
        rpc()
            .connect(
                new RpcMethods()
                    .add(
                        9,
                        call -> {
                          peers.add(call.peer());
                          deadlines.add(call.deadline());
                          call.reply(call.request());
                        }));
    connection.call(9, text(""), Deadline.after(Duration.ofSeconds(20)));
    assertThat(peers.remove().deviceName()).isEqualTo(rpc().clientDevice().name());
    assertThat(connection.peer().deviceName()).isEqualTo(rpc().serverDevice().name());
    assertThat(deadlines.remove().remainingMillis()).isBetween(1L, 20_000L);
  }
}
