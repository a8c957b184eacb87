// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static dev.verbena.rpc.RpcFixture.ECHO;
import static dev.verbena.rpc.RpcFixture.ECHO_INLINE;
import static dev.verbena.rpc.RpcFixture.soon;
import static dev.verbena.rpc.RpcFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.ChildJvm;
import dev.verbena.testing.Pattern;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Client and server in two JVMs. */
abstract class ProcessSuite extends RpcSuite {
  ProcessSuite(Carrier carrier) {
    super(carrier);
  }

  private ChildJvm startServer() {
    return rpc()
        .own(
            ChildJvm.start(
                ServerProcess.class, rpc().carrier().name(), rpc().directory().toString()));
  }

  private static InetSocketAddress address(ChildJvm server) {
    return new InetSocketAddress("127.0.0.1", Integer.parseInt(server.nextLine()));
  }

  @Test
  void callsOfAllSizesCrossProcesses() {
    ChildJvm server = startServer();
    RpcConnection connection = rpc().connect(rpc().client(), address(server));
    for (int i = 0; i < 2000; i++) {
      ByteBuffer request = ByteBuffer.wrap(new Pattern(i).bytes(0, i * 13 % 3000));
      assertThat(connection.call(i % 2 == 0 ? ECHO : ECHO_INLINE, request, soon()))
          .isEqualTo(request);
    }
    ByteBuffer large = ByteBuffer.wrap(new Pattern(7).bytes(0, 20_000_000));
    assertThat(connection.call(ECHO, large, soon())).isEqualTo(large);
    connection.close();
    server.tell("end");
    assertThat(server.nextLine()).isEqualTo("closing after end");
    assertThat(server.awaitExit()).as(server.errors()).isZero();
  }

  @Test
  void aServerKilledInTheMiddleOfCallsDisconnectsThem() {
    ChildJvm server = startServer();
    RpcClient client = rpc().client();
    RpcConnection connection = rpc().connect(client, address(server));
    List<CompletableFuture<ByteBuffer>> open = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      open.add(connection.callAsync(ServerProcess.SILENT, text("open"), soon()));
    }
    open.add(
        CompletableFuture.supplyAsync(
            () -> connection.call(ServerProcess.SILENT, text("waiting"), soon())));
    for (int i = 0; i < open.size(); i++) {
      assertThat(server.nextLine()).isEqualTo("called");
    }
    server.kill();
    for (CompletableFuture<ByteBuffer> call : open) {
      RpcException failure = expectFailure(RpcException.Code.DISCONNECTED, "an open call", call);
      assertThat(failure.mayHaveRun()).isTrue();
      assertThat(failure).hasCauseInstanceOf(RpcException.class);
    }
    expectFailure(
        RpcException.Code.DISCONNECTED, () -> connection.call(ECHO, text("later"), soon()));
    ChildJvm next = startServer();
    RpcConnection again = rpc().connect(client, address(next));
    assertThat(again.serverIncarnation()).isNotEqualTo(connection.serverIncarnation());
    assertThat(text(again.call(ECHO, text("again"), soon()))).isEqualTo("again");
    again.close();
    next.tell("end");
    assertThat(next.awaitExit()).as(next.errors()).isZero();
  }
}
