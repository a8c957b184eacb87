// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.conformance.NeedsRdmacore;
import dev.verbena.verbs.conformance.Rdmacore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** By which GID and with which MTU queue pairs reach each other, on a device of the kernel. */
@Tag("rdma")
@NeedsRdmacore
final class PathTest {
  private static final byte[] NOTHING = {};

  /** IPv6, UDP, the longest headers of RoCE v2 and its checksum. */
  private static final int HEADERS = 40 + 8 + 12 + 16 + 4 + 4;

  private final Rdmacore provider = new Rdmacore();
  private final Device device = provider.open(Path.of("/dev/shm"));
  private final ExecutorService task = Executors.newSingleThreadExecutor();
  private RdmaQueuePair client;
  private RdmaQueuePair server;

  @AfterEach
  void close() {
    device.close();
    task.shutdownNow();
  }

  @Test
  void theGidIsThatOfTheAddressThatEachEndWasBoundTo() throws IOException {
    connect(provider.address(), provider.address());
    expectGid(client, provider.address());
    connect(provider.address(), provider.otherSource());
    expectGid(client, provider.otherSource());
    expectGid(server, provider.address());
    connect(provider.otherSource(), provider.address());
    expectGid(client, provider.address());
    expectGid(server, provider.otherSource());
    connect(provider.ipv6Address(), provider.ipv6Address());
    expectGid(client, provider.ipv6Address());
    expectGid(server, provider.ipv6Address());
  }

  @Test
  void aPacketFitsTheEthernetAndIsAsLongAtBothEnds() throws IOException {
    connect(provider.address(), provider.address());
    int ethernet = NetworkInterface.getByInetAddress(provider.address()).getMTU();
    assertThat(client.pathInUse().mtuBytes()).isLessThanOrEqualTo(ethernet - HEADERS);
    assertThat(2 * client.pathInUse().mtuBytes()).isGreaterThan(ethernet - HEADERS);
    assertThat(server.pathInUse().mtu()).isEqualTo(client.pathInUse().mtu());
  }

  /** The device's table says the same of the index. */
  private void expectGid(RdmaQueuePair queuePair, InetAddress address) throws IOException {
    PathInUse path = queuePair.pathInUse();
    assertThat(path.gid()).isEqualTo(address);
    assertThat(path.gidType()).isNotEqualTo(PathLayout.GID_TYPE_ROCE_V1);
    String name = device.name().substring(device.name().indexOf(':') + 1);
    Path port = Path.of("/sys/class/infiniband", name, "ports/1");
    Path entry = port.resolve("gids").resolve(String.valueOf(path.gidIndex()));
    assertThat(InetAddress.getByName(Files.readString(entry).trim())).isEqualTo(address);
  }

  private void connect(InetAddress to, InetAddress from) {
    client = queuePair();
    server = queuePair();
    try (Listener listener = device.listen(new InetSocketAddress(to, 0), 1)) {
      InetSocketAddress source = new InetSocketAddress(from, 0);
      Future<byte[]> connect =
          task.submit(
              () ->
                  device.connect(
                      client,
                      new ConnectionParameters(
                          listener.address(), source, NOTHING, Deadline.after(Await.PATIENCE))));
      accept(listener);
      Await.result("connect", connect);
    }
  }

  private void accept(Listener listener) {
    Deadline deadline = Deadline.after(Await.PATIENCE);
    try {
      listener.nextRequest(deadline).accept(server, NOTHING, deadline);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while accepting", e);
    }
  }

  private RdmaQueuePair queuePair() {
    CompletionQueue queue = device.createCompletionQueue(16, null);
    return (RdmaQueuePair)
        device.createProtectionDomain().createQueuePair(QueuePairAttributes.of(queue, queue));
  }
}
