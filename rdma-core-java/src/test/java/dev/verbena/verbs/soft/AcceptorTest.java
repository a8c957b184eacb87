// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.ChildJvm;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that ran out of descriptors takes connections again once it has some. */
class AcceptorTest {
  private static final int DESCRIPTORS = 150;
  private static final Pattern WARNING =
      Pattern.compile("WARN .* can't accept a connection, and goes on trying");

  @Test
  @Timeout(180)
  void connectsWorkAgainOnceDescriptorsCameBackAndEachServerWarnedOnce() throws IOException {
    Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "verbena-acceptor-");
    DeviceOptions options = DeviceOptions.defaults().withDirectory(directory);
    try (ChildJvm child =
        ChildJvm.startLimited(DESCRIPTORS, ExhaustedChild.class, directory.toString())) {
      int port = Integer.parseInt(child.nextLine());
      InetSocketAddress listener = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      UnixDomainSocketAddress wake = UnixDomainSocketAddress.of(wakeSocket(directory));
      connect(options, child, listener);
      ask(child, "use up");
      for (SocketAddress address : List.of(listener, wake)) {
        for (int i = 0; i < 3; i++) {
          SocketChannel.open(address).close();
        }
      }
      Await.until("both warnings", () -> warnings(child) == 2);
      ask(child, "free");
      connect(options, child, listener);
      assertThat(warnings(child)).isEqualTo(2);
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
      }
    }
  }

  private static Path wakeSocket(Path directory) throws IOException {
    try (Stream<Path> devices = Files.list(directory)) {
      return DeviceDirectory.wakeSocket(devices.findFirst().orElseThrow());
    }
  }

  private static void ask(ChildJvm child, String word) {
    child.tell(word);
    assertThat(child.nextLine()).isEqualTo(word);
  }

  /** From a new device, so that it has no link yet. */
  private static void connect(DeviceOptions options, ChildJvm child, InetSocketAddress listener) {
    child.tell("accept");
    try (Device device = new SoftProvider().open(options)) {
      SoftConnector.End end = SoftConnector.end(device, device.createProtectionDomain());
      device.connect(
          end.queuePair(),
          new ConnectionParameters(listener, null, new byte[0], Deadline.after(Await.PATIENCE)));
      assertThat(child.nextLine()).isEqualTo("accept");
      assertThat(((SoftQueuePair) end.queuePair()).connection().carrier()).isEqualTo("shm");
    }
  }

  private static long warnings(ChildJvm child) {
    return WARNING.matcher(child.errors()).results().count();
  }
}
