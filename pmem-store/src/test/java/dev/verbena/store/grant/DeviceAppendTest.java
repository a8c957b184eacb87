// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantFixture.APPLICATION;
import static dev.verbena.store.grant.GrantFixture.MIB;
import static dev.verbena.store.grant.GrantFixture.block;
import static dev.verbena.store.grant.GrantWriter.deadline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.local.LogEntry;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.testing.ChildJvm;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.conformance.NeedsRdmacore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The durable append over the kernel's verbs, into a pool on a DAX device. */
@Tag("rdma")
@NeedsRdmacore
@EnabledIfEnvironmentVariable(named = "VERBENA_DAX_DEVICE", matches = "/.*")
class DeviceAppendTest {
  private static final int LOG = 7;
  private static final int[] LENGTHS = {0, 1, 64, 4032, 4033, 100_000, 600_000};
  private static final int COUNTED = 100;
  private static final int COUNTED_BYTES = 6_000;

  /** WRITE of the header, FLUSH, word, FLUSH. */
  private static final int PACKETS_BESIDES = 4;

  /** How an append can be done, by what the devices of both ends have. */
  enum Way {
    NATIVE("rdmacore", false, DurabilityMethod.FLUSH),
    INLINE_WORD(LessProvider.RdmaWithoutAtomicWrite.NAME, false, DurabilityMethod.FLUSH),
    READ(LessProvider.RdmaWithoutFlush.NAME, true, DurabilityMethod.READ_AFTER_WRITE),
    CALLS(LessProvider.RdmaWithoutFlush.NAME, false, DurabilityMethod.REMOTE_PERSIST);

    private final String provider;
    private final boolean readAfterWrite;
    private final DurabilityMethod method;

    Way(String provider, boolean readAfterWrite, DurabilityMethod method) {
      this.provider = provider;
      this.readAfterWrite = readAfterWrite;
      this.method = method;
    }

    private GrantOptions options() {
      return GrantOptions.defaults().withReadAfterWrite(readAfterWrite);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAppendIsDurableByTheMethodThatItTells(Way way) {
    try (GrantFixture fixture = serve(way);
        GrantWriter writer = fixture.connect()) {
      assertThat(writer.device.attributes().has(DeviceCapability.ATOMIC_WRITE))
          .isEqualTo(way != Way.INLINE_WORD);
      try (RemoteLog log = writer.client.openLog(APPLICATION, LOG, DurabilityDomain.POWER)) {
        for (int i = 0; i < LENGTHS.length; i++) {
          assertThat(log.append(block(i, 0, LENGTHS[i]), 0, LENGTHS[i]))
              .isEqualTo(new Durability(DurabilityDomain.POWER, way.method));
        }
        assertThat(log.carrier()).isEqualTo("rxe");
      }
      assertEntries(fixture.store, LENGTHS.length);
    }
    try (LocalBlockStore again = LocalBlockStore.open(options())) {
      assertEntries(again, LENGTHS.length);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NATIVE", "CALLS"})
  void whatWasAppendedIsThereAfterTheStoresProcessWasKilled(Way way) {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    open().close();
    Path directory = temporary();
    try (ChildJvm child = ChildJvm.start(Serving.class, directory.toString(), way.name())) {
      InetSocketAddress store =
          new InetSocketAddress(
              GrantFixture.bind(way.provider).getAddress(), Integer.parseInt(child.nextLine()));
      try (GrantWriter writer =
          new GrantWriter(
              GrantFixture.serveOptions(directory, false).withProvider(way.provider, directory),
              store,
              timer)) {
        RemoteLog log = writer.client.openLog(APPLICATION, LOG, DurabilityDomain.POWER);
        for (int i = 0; i < LENGTHS.length; i++) {
          log.append(block(i, 0, LENGTHS[i]), 0, LENGTHS[i]);
        }
        child.kill();
      }
    } finally {
      timer.shutdownNow();
    }
    try (LocalBlockStore again = LocalBlockStore.open(options())) {
      assertEntries(again, LENGTHS.length);
    }
  }

  @Test
  void theArgumentOfACallIsInThePoolBeforeItsServiceRuns() {
    try (GrantFixture fixture = serve(Way.NATIVE);
        GrantWriter writer = fixture.connect();
        RemoteLog log = writer.client.openLog(APPLICATION, LOG, DurabilityDomain.POWER)) {
      ByteBuffer answer =
          log.call(GrantFixture.ECHO, block(0, 0, 50_000), 0, 50_000, ByteBuffer.wrap(new byte[3]));
      CRC32C crc = new CRC32C();
      crc.update(block(0, 0, 50_000));
      assertThat(answer.getLong()).isNotNegative();
      assertThat(answer.getLong()).isEqualTo(crc.getValue());
      assertThat(answer.remaining()).isEqualTo(3);
    }
    try (LocalBlockStore again = LocalBlockStore.open(options())) {
      assertThat(again.logs().entries(APPLICATION, LOG).get(0).read())
          .contains(block(0, 0, 50_000));
    }
  }

  @Test
  void theKernelCountsThePacketsOfAnAppendAndNoSend() {
    String device = "rxe0";
    try (GrantFixture fixture = serve(Way.NATIVE);
        GrantWriter writer = fixture.connect();
        RemoteLog log = writer.client.openLog(APPLICATION, LOG)) {
      byte[] entry = block(1, 1, COUNTED_BYTES);
      log.append(entry, 0, entry.length);
      KernelCounters before = KernelCounters.of(device);
      for (int i = 0; i < COUNTED; i++) {
        log.append(entry, 0, entry.length);
      }
      KernelCounters counted = KernelCounters.of(device).since(before);
      int packet = KernelCounters.packetBytes(device);
      long requests = (long) COUNTED * ((COUNTED_BYTES + packet - 1) / packet + PACKETS_BESIDES);
      System.out.printf(
          "append: %d entries of %d bytes: %d request packets by our count; the kernel's: %s%n",
          COUNTED, COUNTED_BYTES, requests, counted);

      // Answers are counted with them: one for an entry at least, one for a request at most.
      assertThat(counted.sent()).isBetween(requests + COUNTED, 2 * requests + COUNTED);
      assertThat(counted.received()).isBetween(requests + COUNTED, 2 * requests + COUNTED);
      // The store's processor took no part, but where a lease was renewed.
      assertThat(counted.sends()).isLessThan(COUNTED / 2);
    }
  }

  @Test
  void aKeyThatWasOpenedWithoutFlushRefusesOne() {
    try (GrantFixture fixture = serve(Way.READ);
        GrantWriter writer = writerWithAll(fixture)) {
      ClientGrant grant = writer.client.grant(APPLICATION, 1, 100);
      BulkBatch flush =
          new BulkBatch(1).flush(grant.terms().recordAddress(), grant.terms().recordKey(), 64);

      assertThat(grant.durability().method()).isEqualTo(DurabilityMethod.READ_AFTER_WRITE);
      assertThatThrownBy(() -> writer.connection.bulk().transfer(flush, deadline()))
          .isInstanceOfSatisfying(RpcException.class, GrantContract::isRefused);
    }
  }

  @Test
  void aKeyOpensNothingBesideItsExtent() {
    try (GrantFixture fixture = serve(Way.NATIVE);
        GrantWriter writer = fixture.connect()) {
      assertThat(writer.device.attributes().hasBoundedWindows()).isFalse();
      ClientGrant grant = writer.client.grant(APPLICATION, 1, 100);
      long end =
          grant.terms().wordAddress()
              + (grant.capacity() / PoolLayout.CHUNK_BYTES + 1) * PoolLayout.WORD_BYTES;
      BulkBatch other = new BulkBatch(1).publish(end, grant.terms().wordKey(), 1);

      assertThatThrownBy(() -> writer.connection.bulk().transfer(other, deadline()))
          .isInstanceOfSatisfying(RpcException.class, GrantContract::isRefused);
    }
  }

  /** A client whose device has FLUSH, whatever that of the store is said to have. */
  private static GrantWriter writerWithAll(GrantFixture fixture) {
    return new GrantWriter(
        fixture.serveOptions().withProvider("rdmacore", fixture.directory),
        fixture.server.endpoint().addresses().get(0),
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "leases");
              thread.setDaemon(true);
              return thread;
            }));
  }

  private static void assertEntries(LocalBlockStore store, int count) {
    List<LogEntry> entries = store.logs().entries(APPLICATION, LOG);
    assertThat(entries).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(entries.get(i).read()).contains(block(i, 0, LENGTHS[i]));
    }
  }

  private static GrantFixture serve(Way way) {
    return new GrantFixture(way.provider, open(), temporary(), way.options());
  }

  /** The store on the device, without what tests before left there. */
  private static LocalBlockStore open() {
    LocalBlockStore store = LocalBlockStore.open(options());
    store.removeApplication(APPLICATION);
    return store;
  }

  static StoreOptions options() {
    Path device = Path.of(System.getenv("VERBENA_DAX_DEVICE"));
    return StoreOptions.of(TierOptions.device(device, 64L * MIB));
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory(Path.of("/dev/shm"), "store-append-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Serves the store on the device until it is killed. */
  static final class Serving {
    private Serving() {}

    /** Arguments: a directory, the way. */
    public static void main(String[] arguments) throws IOException {
      Way way = Way.valueOf(arguments[1]);
      LocalBlockStore store = LocalBlockStore.open(options());
      GrantFixture fixture =
          new GrantFixture(way.provider, store, Path.of(arguments[0]), way.options());
      System.out.println(fixture.server.endpoint().addresses().get(0).getPort());
      while (System.in.read() >= 0) {
        // Nothing is asked of it but to be there.
      }
    }
  }
}
