// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;

/**
 * Two devices, and the servers and clients that a test makes on them. Closing it releases all, and
 * checks that connections took the carrier under test and that no file is left.
 */
final class RpcFixture implements AutoCloseable {
  static final RpcSecret SECRET =
      RpcSecret.of("a secret that both ends know".getBytes(StandardCharsets.UTF_8));

  /** Answers with the request. */
  static final int ECHO = 1;

  /** The same on the polling thread. */
  static final int ECHO_INLINE = 2;

  private final Carrier carrier;
  private final Path directory;
  private final Device serverDevice;
  private final Device clientDevice;
  private final ProtectionDomain serverDomain;
  private final ProtectionDomain clientDomain;
  private final Deque<AutoCloseable> owned = new ArrayDeque<>();

  RpcFixture(Carrier carrier) {
    this.carrier = carrier;
    try {
      directory = Files.createTempDirectory(Path.of("/dev/shm"), "verbena-rpc-test-");
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for the devices", e);
    }
    serverDevice = own(carrier.open(directory));
    clientDevice = own(carrier.open(directory));
    serverDomain = own(serverDevice.createProtectionDomain());
    clientDomain = own(clientDevice.createProtectionDomain());
  }

  static RpcOptions options() {
    return RpcOptions.of(SECRET);
  }

  static Deadline soon() {
    return Deadline.after(Await.PATIENCE);
  }

  static Deadline in(Duration duration) {
    return Deadline.after(duration);
  }

  static RpcMethods echo() {
    return new RpcMethods()
        .add(ECHO, call -> call.reply(call.request()))
        .addInline(ECHO_INLINE, call -> call.reply(call.request()));
  }

  static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  static InetSocketAddress anyPort() {
    return new InetSocketAddress("127.0.0.1", 0);
  }

  Carrier carrier() {
    return carrier;
  }

  Path directory() {
    return directory;
  }

  Device serverDevice() {
    return serverDevice;
  }

  Device clientDevice() {
    return clientDevice;
  }

  ProtectionDomain serverDomain() {
    return serverDomain;
  }

  ProtectionDomain clientDomain() {
    return clientDomain;
  }

  <T extends AutoCloseable> T own(T resource) {
    owned.push(resource);
    return resource;
  }

  RpcServer serve(RpcMethods methods) {
    return serve(methods, options());
  }

  RpcServer serve(RpcMethods methods, RpcOptions options) {
    return own(RpcServer.start(serverDevice, serverDomain, anyPort(), options, methods));
  }

  RpcServer serve(RpcMethods methods, VersionRange versions) {
    return own(
        new VerbsRpcServer(serverDevice, serverDomain, anyPort(), options(), methods, versions));
  }

  RpcClient client() {
    return client(options());
  }

  RpcClient client(RpcOptions options) {
    return own(RpcClient.open(clientDevice, clientDomain, options));
  }

  RpcClient client(VersionRange versions) {
    return own(new VerbsRpcClient(clientDevice, clientDomain, options(), versions));
  }

  /** A connection to a new server with the methods. */
  RpcConnection connect(RpcMethods methods) {
    return connect(serve(methods));
  }

  RpcConnection connect(RpcServer server) {
    return connect(client(), server.address());
  }

  RpcConnection connect(RpcClient client, InetSocketAddress server) {
    RpcConnection connection = own(client.connect(server, soon()));
    assertThat(connection.carrier()).isEqualTo(carrier.label());
    assertThat(connection.bulk().carrier()).isEqualTo(carrier.label());
    return connection;
  }

  @Override
  public void close() {
    for (AutoCloseable resource : owned) {
      try {
        resource.close();
      } catch (Exception e) {
        throw new AssertionError("could not close " + resource, e);
      }
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left.toList()).as("files left behind").isEmpty();
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("could not look into " + directory, e);
    }
  }
}
