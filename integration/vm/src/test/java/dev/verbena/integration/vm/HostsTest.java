// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.RpcClient;
import dev.verbena.rpc.RpcConnection;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.BlockSink;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.grant.Durability;
import dev.verbena.store.grant.RemoteLog;
import dev.verbena.store.grant.RemoteMapOutputWriter;
import dev.verbena.store.serve.BlockClient.Transferred;
import dev.verbena.store.serve.BlockRange;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.store.serve.StoreClient;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two hosts, each a guest, and one cable: {@link HostPeer} is at its other end. */
@Timeout(600)
final class HostsTest {
  private static final String CARRIER = "rxe";
  private static final String CARD = "eth0";
  private static final int APPENDS = 20;
  private static final long SEED = 42;
  private static final DurableAppends ENTRIES = new DurableAppends(Path.of("/"), SEED);

  /** What is under way ends by its deadline, but a processor may be away just then. */
  private static final Duration SLACK = Await.PATIENCE;

  private Device device;
  private ProtectionDomain domain;
  private RpcClient client;

  @BeforeEach
  void openTheDevice() {
    device = HostPeer.open();
    domain = device.createProtectionDomain();
    client = RpcClient.open(device, domain, HostPeer.options());
  }

  @AfterEach
  void closeTheDevice() {
    client.close();
    domain.close();
    device.close();
  }

  @Test
  void callsReachTheOtherHost() {
    try (RpcConnection connection = connect()) {
      assertThat(connection.carrier()).isEqualTo(CARRIER);
      for (int length : new int[] {1, 100, 4000, 100_000, 1_000_000}) {
        ByteBuffer request = ByteBuffer.wrap(new Pattern(length).bytes(0, length));
        assertThat(connection.call(HostPeer.ECHO, request, soon())).isEqualTo(request);
      }
    }
  }

  @Test
  void anAppendThatReturnedIsDurableInTheOtherHostsPool() {
    int log = 1;
    try (RpcConnection connection = connect();
        RemoteWriters writers = RemoteWriters.open(HostPeer.serving())) {
      try (RemoteLog to = writers.openLog(store(connection), HostPeer.APPLICATION, log)) {
        assertThat(to.carrier()).isEqualTo(CARRIER);
        for (int number = 0; number < APPENDS; number++) {
          Durability durability = append(to, number);
          assertThat(durability.domain()).as("%s", durability).isEqualTo(DurabilityDomain.POWER);
        }
      }
      assertThat(entries(connection, log)).hasSize(APPENDS);
    }
  }

  @Test
  void whatWasWrittenIntoTheOtherHostsPoolIsReadBackByItsReader() {
    MapOutputKey key = new MapOutputKey(HostPeer.APPLICATION, 7, 8);
    byte[] block = new Pattern(SEED).bytes(0, 3_000_000);
    try (RpcConnection connection = connect();
        RemoteWriters writers = RemoteWriters.open(HostPeer.serving());
        StoreClient reader = StoreClient.open(HostPeer.serving())) {
      StoreEndpoint store = store(connection);
      try (RemoteMapOutputWriter output = writers.openMapOutput(store, key, 1)) {
        output.append(0, block, 0, block.length);
        assertThat(output.commit(new long[0]).first()).isTrue();
      }
      Bytes read = new Bytes();
      Transferred got = reader.transfer(store, new BlockRange(key, 0, 1), read);
      assertThat(got).isEqualTo(new Transferred(block.length, CARRIER));
      assertThat(read.bytes()).isEqualTo(block);
    }
  }

  @Test
  void aPulledCableEndsWhatRunsByItsDeadlineAndOnceItIsBackANewConnectionWorks() {
    int log = 2;
    AtomicInteger acknowledged = new AtomicInteger();
    Duration deadline = HostPeer.serving().fetchTimeout();
    try (RpcConnection connection = connect();
        RemoteWriters writers = RemoteWriters.open(HostPeer.serving());
        RemoteLog to = writers.openLog(store(connection), HostPeer.APPLICATION, log)) {
      CompletableFuture<Void> appending =
          CompletableFuture.runAsync(() -> appendWithoutEnd(to, acknowledged));
      Await.until("appends", () -> acknowledged.get() >= APPENDS || appending.isDone());
      CompletableFuture<ByteBuffer> call =
          connection.callAsync(HostPeer.SILENT, ByteBuffer.allocate(1), Deadline.after(deadline));
      long cut = System.nanoTime();
      Command.run("ip", "link", "set", CARD, "down");
      try {
        Await.until(
            "the end of an append and of a call", () -> appending.isDone() && call.isDone());
        Duration took = Duration.ofNanos(System.nanoTime() - cut);
        System.out.printf("a pulled cable ended an append and a call after %s%n", took);
        assertThat(took).isLessThan(deadline.plus(SLACK));
        assertThat(Await.failure("the append", appending)).isInstanceOf(StoreException.class);
        assertThat(Await.failure("the call", call)).isInstanceOf(RpcException.class);
      } finally {
        Command.run("ip", "link", "set", CARD, "up");
      }
    }
    try (RpcConnection again = connect()) {
      Await.until(
          "the store takes over what was appended",
          () -> entries(again, log).size() >= acknowledged.get());
      // The one under way may be there or not.
      assertThat(entries(again, log).size()).isBetween(acknowledged.get(), acknowledged.get() + 1);
    }
  }

  private static void appendWithoutEnd(RemoteLog to, AtomicInteger acknowledged) {
    for (int number = 0; ; number++) {
      append(to, number);
      acknowledged.incrementAndGet();
    }
  }

  private static Durability append(RemoteLog to, int number) {
    byte[] entry = ENTRIES.entry(number);
    return to.append(entry, 0, entry.length);
  }

  /** The entries as the other host finds them, each of which must be the one appended. */
  private static List<byte[]> entries(RpcConnection connection, int log) {
    ByteBuffer request = ByteBuffer.allocate(Integer.BYTES).putInt(log).flip();
    ByteBuffer answer = connection.call(HostPeer.ENTRIES, request, soon());
    List<byte[]> found = new ArrayList<>();
    while (answer.hasRemaining()) {
      byte[] one = new byte[answer.getInt()];
      answer.get(one);
      assertThat(one).isEqualTo(ENTRIES.entry(found.size()));
      found.add(one);
    }
    return found;
  }

  private static StoreEndpoint store(RpcConnection connection) {
    ByteBuffer nothing = ByteBuffer.allocate(0);
    return HostPeer.store(connection.call(HostPeer.INCARNATION, nothing, soon()).getLong());
  }

  /** The other host may still be coming up, or the cable have just come back. */
  private RpcConnection connect() {
    Deadline deadline = Deadline.after(Await.PATIENCE.multipliedBy(3));
    while (true) {
      try {
        return client.connect(HostPeer.RPC, deadline.earlierOf(soon()));
      } catch (RpcException e) {
        if (deadline.hasPassed()) {
          throw e;
        }
      }
    }
  }

  private static Deadline soon() {
    return Deadline.after(Await.PATIENCE);
  }

  /** Collects a block. */
  private static final class Bytes implements BlockSink {
    private final ByteArrayOutputStream all = new ByteArrayOutputStream();

    @Override
    public void put(byte[] source, int offset, int length) {
      all.write(source, offset, length);
    }

    @Override
    public void put(ByteBuffer source) {
      byte[] copy = new byte[source.remaining()];
      source.get(copy);
      all.writeBytes(copy);
    }

    byte[] bytes() {
      return all.toByteArray();
    }
  }
}
