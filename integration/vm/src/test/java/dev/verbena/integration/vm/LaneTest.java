// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.vm.Link.Packets;
import dev.verbena.testing.Await;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The lane itself, by stock tools only: what the suites of this project stand on in the guest.
 *
 * <p>rping sleeps on its completion channel, and of the two ends of ib_write_bw only one polls: two
 * that poll, on two emulated processors, leave none to the kernel's rxe threads.
 */
final class LaneTest {
  private static final int MESSAGES = 10;
  private static final int WRITES = 100;
  private static final int WRITE_BYTES = 65536;
  private static final int LARGEST_PACKET = 4096;
  private static final long WRITE_PACKETS = (long) WRITES * WRITE_BYTES / LARGEST_PACKET;
  private static final String PORT = ":18515";

  @ParameterizedTest
  @EnumSource(Link.class)
  void eachLinkHasAnActivePort(Link link) {
    assertThat(link.state()).isEqualTo("ACTIVE");
  }

  @ParameterizedTest
  @EnumSource(Link.class)
  void stockRpingExchangesItsMessagesOverALinkAndTheKernelCountsThem(Link link) {
    String count = Integer.toString(MESSAGES);
    Packets before = link.packets();
    try (Command server = Command.start("rping", "-s", "-a", link.address(), "-C", count)) {
      String client =
          server.serve(
              "rping listens",
              () -> Command.run("rdma", "resource", "show", "cm_id").contains("LISTEN"),
              "rping",
              "-c",
              "-v",
              "-a",
              link.address(),
              "-I",
              link.address(),
              "-C",
              count);
      assertThat(client).contains("ping data: rdma-ping-" + (MESSAGES - 1));
    }
    Packets packets = link.packets().since(before);
    assertThat(packets.sent()).isGreaterThanOrEqualTo(MESSAGES);
    assertThat(packets.received()).isGreaterThanOrEqualTo(MESSAGES);
  }

  @ParameterizedTest
  @EnumSource(Link.class)
  void stockBandwidthTestWritesOverALinkAndTheKernelCountsIt(Link link) {
    Packets before = link.packets();
    try (Command server = Command.start(bandwidthTest(link))) {
      String client =
          server.serve(
              "ib_write_bw listens",
              () -> Command.run("ss", "-Hltn", "sport", "=", PORT).contains(PORT),
              bandwidthTest(link, link.address()));
      assertThat(client).contains("RDMA_Write BW Test");
    }
    Packets packets = link.packets().since(before);
    assertThat(packets.sent()).isGreaterThanOrEqualTo(WRITE_PACKETS);
    assertThat(packets.received()).isGreaterThanOrEqualTo(WRITE_PACKETS);
  }

  @Test
  void aLinkWhoseCableIsPulledGoesDownAndComesBack() {
    Command.run("ip", "link", "set", Link.SECOND.netdev(), "down");
    try {
      Await.until("the port is down", () -> Link.SECOND.state().equals("DOWN"));
    } finally {
      Command.run("ip", "link", "set", Link.SECOND.netdev(), "up");
    }
    Await.until("the port is back", () -> Link.SECOND.state().equals("ACTIVE"));
  }

  @Test
  void theNvdimmBecomesADeviceDaxNamespace() {
    String made =
        Command.run("ndctl", "create-namespace", "-f", "-e", "namespace0.0", "-m", "devdax");
    assertThat(made).contains("\"mode\":\"devdax\"", "\"chardev\":\"dax0.0\"");
    assertThat(Path.of("/dev/dax0.0")).exists();
  }

  private static String[] bandwidthTest(Link at, String... server) {
    String[] tool = {
      "ib_write_bw",
      "-d",
      at.device(),
      "-x",
      "1",
      "-s",
      Integer.toString(WRITE_BYTES),
      "-n",
      Integer.toString(WRITES)
    };
    return Stream.of(tool, server).flatMap(Stream::of).toArray(String[]::new);
  }
}
