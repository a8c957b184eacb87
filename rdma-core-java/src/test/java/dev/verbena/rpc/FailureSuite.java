// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static dev.verbena.rpc.RpcFixture.ECHO;
import static dev.verbena.rpc.RpcFixture.ECHO_INLINE;
import static dev.verbena.rpc.RpcFixture.echo;
import static dev.verbena.rpc.RpcFixture.options;
import static dev.verbena.rpc.RpcFixture.soon;
import static dev.verbena.rpc.RpcFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Calls that fail, and connections that end. */
abstract class FailureSuite extends RpcSuite {
  private static final int STUCK = 20;

  private final Semaphore release = new Semaphore(0);

  FailureSuite(Carrier carrier) {
    super(carrier);
  }

  /** Echo, and a method that answers once it is released. */
  private RpcMethods withStuck() {
    return echo()
        .add(
            STUCK,
            call -> {
              release.acquire();
              call.reply(call.request());
            });
  }

  private void expectAlive(RpcConnection connection) {
    assertThat(text(connection.call(ECHO_INLINE, text("alive"), soon()))).isEqualTo("alive");
  }

  @Test
  void theCallerGetsTheHandlersCodeAndMessage() {
    RpcConnection connection =
        rpc().connect(echo().add(5, call -> call.fail(42, "no such block: ä")));
    RpcException failure =
        expectFailure(
            RpcException.Code.REMOTE_FAILURE, () -> connection.call(5, text("x"), soon()));
    assertThat(failure).hasMessage("no such block: ä");
    assertThat(((RemoteFailureException) failure).failureCode()).isEqualTo(42);
    assertThat(failure.mayHaveRun()).isTrue();
    expectAlive(connection);
  }

  @Test
  void aMessageTooLongForAReceiveBufferIsCut() {
    RpcConnection connection =
        rpc().connect(echo().add(5, call -> call.fail(1, "long ".repeat(10_000))));
    RpcException failure =
        expectFailure(
            RpcException.Code.REMOTE_FAILURE, () -> connection.call(5, text("x"), soon()));
    assertThat(failure.getMessage()).startsWith("long long ").hasSizeLessThan(5000);
    expectAlive(connection);
  }

  @Test
  void aHandlerThatThrowsFailsItsCallOnly() {
    RpcConnection connection =
        rpc()
            .connect(
                echo()
                    .add(
                        5,
                        call -> {
                          throw new IllegalStateException("on purpose");
                        }));
    RpcException failure =
        expectFailure(
            RpcException.Code.REMOTE_FAILURE, () -> connection.call(5, text("x"), soon()));
    assertThat(failure.getMessage()).contains("on purpose");
    assertThat(((RemoteFailureException) failure).failureCode())
        .isEqualTo(RemoteFailureException.HANDLER_THREW);
    expectAlive(connection);
  }

  @Test
  void anUnknownMethodIsRefused() {
    RpcConnection connection = rpc().connect(echo());
    for (int length : new int[] {3, 100_000}) {
      RpcException failure =
          expectFailure(
              RpcException.Code.NO_SUCH_METHOD,
              () -> connection.call(99, ByteBuffer.allocate(length), soon()));
      assertThat(failure.mayHaveRun()).isFalse();
    }
    expectAlive(connection);
  }

  @Test
  void aCallIsAnsweredOnce() {
    List<Throwable> thrown = new ArrayList<>();
    CountDownLatch seen = new CountDownLatch(1);
    RpcConnection connection =
        rpc()
            .connect(
                new RpcMethods()
                    .add(
                        5,
                        call -> {
                          call.reply(text("once"));
                          try {
                            call.reply(text("twice"));
                          } catch (IllegalStateException e) {
                            thrown.add(e);
                          }
                          seen.countDown();
                        }));
    assertThat(text(connection.call(5, text("x"), soon()))).isEqualTo("once");
    Await.until("the second answer", () -> seen.getCount() == 0);
    assertThat(thrown).hasSize(1);
  }

  @Test
  void aSlowHandlerMissesTheDeadlineAndItsLateAnswerIsIgnored() {
    RpcConnection connection = rpc().connect(withStuck());
    RpcException failure =
        expectFailure(
            RpcException.Code.TIMED_OUT,
            () -> connection.call(STUCK, text("slow"), Deadline.after(Duration.ofMillis(50))));
    assertThat(failure.mayHaveRun()).isTrue();
    CompletableFuture<ByteBuffer> late =
        connection.callAsync(STUCK, text("slow too"), Deadline.after(Duration.ofMillis(50)));
    expectFailure(RpcException.Code.TIMED_OUT, "a late call", late);
    release.release(2);
    expectAlive(connection);
    CompletableFuture<ByteBuffer> again = connection.callAsync(STUCK, text("again"), soon());
    release.release();
    assertThat(text(Await.result("a call after late ones", again))).isEqualTo("again");
  }

  @Test
  void requestsBeyondTheServersQueueAreRefusedAsOverload() {
    RpcOptions narrow = options().withCalls(1024, 1, 2);
    RpcServer server = rpc().serve(withStuck(), narrow);
    RpcConnection connection = rpc().connect(rpc().client(), server.address());
    List<CompletableFuture<ByteBuffer>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(connection.callAsync(STUCK, text("call"), soon()));
    }
    Await.until(
        "refusals",
        () -> calls.stream().filter(CompletableFuture::isCompletedExceptionally).count() >= 17);
    release.release(20);
    int answered = 0;
    for (CompletableFuture<ByteBuffer> call : calls) {
      if (call.isCompletedExceptionally()) {
        assertThat(expectFailure(RpcException.Code.OVERLOADED, "a refused call", call).mayHaveRun())
            .isFalse();
      } else {
        Await.result("an admitted call", call);
        answered++;
      }
    }
    assertThat(answered).isBetween(1, 3);
    assertThat(server.statistics().overloaded()).isEqualTo(20 - answered);
  }

  @Test
  void moreCallsThanTheClientMayHaveOpenAreRefused() {
    RpcServer server = rpc().serve(withStuck());
    RpcClient client = rpc().client(options().withCalls(4, 2, 16));
    RpcConnection connection = rpc().connect(client, server.address());
    List<CompletableFuture<ByteBuffer>> open = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      open.add(connection.callAsync(STUCK, text("open"), soon()));
    }
    expectFailure(
        RpcException.Code.OVERLOADED, () -> connection.call(ECHO, text("one more"), soon()));
    release.release(4);
    open.forEach(call -> Await.result("an open call", call));
    expectAlive(connection);
  }

  @Test
  void aRequestLongerThanTheLimitIsRefusedWhereItIsNoticed() {
    RpcOptions small = options().withMessages(100_000, 1 << 20);
    RpcServer server = rpc().serve(echo(), small);
    RpcConnection narrow = rpc().connect(rpc().client(small), server.address());
    RpcConnection wide = rpc().connect(rpc().client(), server.address());
    for (RpcConnection connection : List.of(narrow, wide)) {
      RpcException failure =
          expectFailure(
              RpcException.Code.MESSAGE_TOO_LARGE,
              () -> connection.call(ECHO, ByteBuffer.allocate(100_001), soon()));
      assertThat(failure.mayHaveRun()).isFalse();
      assertThat(connection.call(ECHO, ByteBuffer.allocate(100_000), soon()).remaining())
          .isEqualTo(100_000);
    }
  }

  @Test
  void aResponseWithoutRoomInTheCallersBufferIsAnError() {
    RpcConnection connection = rpc().connect(echo());
    for (int length : new int[] {100, 100_000}) {
      RpcException failure =
          expectFailure(
              RpcException.Code.MESSAGE_TOO_LARGE,
              () ->
                  connection.call(
                      ECHO, ByteBuffer.allocate(length), ByteBuffer.allocate(length - 1), soon()));
      assertThat(failure.mayHaveRun()).isTrue();
    }
    expectAlive(connection);
  }

  @Test
  void aConnectionThatFindsNoMemoryFailsAsOneAndItsPlaceIsFreeAgain() throws IOException {
    RpcServer server = rpc().serve(echo());
    RpcClient client = rpc().client(options().withConnections(1, 1, Duration.ofSeconds(20)));
    Path away = rpc().directory().resolveSibling(rpc().directory().getFileName() + "-away");
    Files.move(rpc().directory(), away);
    try {
      assertThatThrownBy(() -> client.connect(server.address(), soon()))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("connecting to " + server.address());
    } finally {
      Files.move(away, rpc().directory());
    }
    expectAlive(rpc().connect(client, server.address()));
  }

  @Test
  void closingTheConnectionEndsItsOpenCalls() {
    RpcConnection connection = rpc().connect(withStuck());
    List<CompletableFuture<ByteBuffer>> open = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      open.add(connection.callAsync(STUCK, text("open"), soon()));
    }
    connection.close();
    connection.close();
    open.forEach(call -> expectFailure(RpcException.Code.CLOSED, "an open call", call));
    assertThat(connection.isOpen()).isFalse();
    expectFailure(RpcException.Code.CLOSED, () -> connection.call(ECHO, text("x"), soon()));
    expectFailure(
        RpcException.Code.CLOSED, "a later call", connection.callAsync(ECHO, text("x"), soon()));
    release.release(50);
  }

  @Test
  void closingTheServerEndsTheOpenCallsOfItsClients() {
    RpcServer server = rpc().serve(withStuck());
    RpcConnection connection = rpc().connect(server);
    CompletableFuture<ByteBuffer> open = connection.callAsync(STUCK, text("open"), soon());
    CompletableFuture<ByteBuffer> waiting =
        CompletableFuture.supplyAsync(() -> connection.call(STUCK, text("waiting"), soon()));
    Await.until("calls to arrive", () -> server.statistics().calls() == 2);
    server.close();
    server.close();
    RpcException failure = expectFailure(RpcException.Code.DISCONNECTED, "an open call", open);
    assertThat(failure.mayHaveRun()).isTrue();
    assertThat(failure).hasCauseInstanceOf(RpcException.class);
    expectFailure(RpcException.Code.DISCONNECTED, "a waiting call", waiting);
    RpcException later =
        expectFailure(
            RpcException.Code.DISCONNECTED, () -> connection.call(ECHO, text("x"), soon()));
    assertThat(later.mayHaveRun()).isFalse();
  }

  @Test
  void aClientThatLeavesFreesItsConnectionAtTheServer() {
    RpcServer server = rpc().serve(withStuck());
    RpcConnection connection = rpc().connect(server);
    CompletableFuture<ByteBuffer> open = connection.callAsync(STUCK, text("open"), soon());
    Await.until("the call to arrive", () -> server.statistics().calls() == 1);
    connection.close();
    expectFailure(RpcException.Code.CLOSED, "an open call", open);
    Await.until("the connection to go", () -> server.statistics().connections() == 0);
    release.release();
    expectAlive(rpc().connect(server));
  }

  @Test
  void anInterruptedCallerStopsWaiting() throws InterruptedException {
    RpcConnection connection = rpc().connect(withStuck());
    CompletableFuture<RpcException> seen = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                connection.call(STUCK, text("x"), soon());
                seen.completeExceptionally(new AssertionError("answered"));
              } catch (RpcException e) {
                seen.complete(Thread.currentThread().isInterrupted() ? e : null);
              }
            });
    caller.start();
    Await.until("the caller to sleep", () -> caller.getState() == Thread.State.TIMED_WAITING);
    caller.interrupt();
    assertThat(Await.result("the interrupted call", seen).code())
        .isEqualTo(RpcException.Code.INTERRUPTED);
    caller.join(10_000);
    release.release();
    expectAlive(connection);
  }

  @Test
  void aCallbackMustNotWait() {
    RpcConnection connection = rpc().connect(withStuck());
    CompletableFuture<ByteBuffer> chained =
        connection
            .callAsync(STUCK, text("first"), soon())
            .thenApply(first -> connection.call(ECHO, first, soon()));
    release.release();
    assertThatThrownBy(() -> chained.get(30, java.util.concurrent.TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);
    expectAlive(connection);
  }
}
