// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantFixture.APPLICATION;
import static dev.verbena.store.grant.GrantFixture.block;
import static dev.verbena.store.grant.GrantWriter.deadline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RpcMethods;
import dev.verbena.rpc.RpcOptions;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.rpc.RpcServer;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.pool.Pool;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsProvider;
import dev.verbena.verbs.conformance.NeedsRdmacore;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Appends through windows of the kernel's device, on persistent memory: FLUSH and ATOMIC_WRITE know
 * their keys. That grants there are regions all the same is for what the second test shows.
 */
@Tag("rdma")
@NeedsRdmacore
@EnabledIfEnvironmentVariable(named = "VERBENA_DAX_DEVICE", matches = "/.*")
class WindowAppendTest {
  private static final int LOG = 8;
  private static final String PROVIDER = "rdmacore";

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  /** What is closed, last first, however far it came. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private LocalBlockStore store;
  private Device device;
  private MemoryRegion region;
  private GrantWriter writer;

  @BeforeEach
  void serve() {
    store = opened(LocalBlockStore.open(DeviceAppendTest.options()));
    store.removeApplication(APPLICATION);
    device = opened(VerbsProvider.openDevice(PROVIDER, DeviceOptions.defaults()));
    ProtectionDomain domain = device.createProtectionDomain();
    Pool pool = store.numberedPools().get(0).pool();
    region =
        opened(
            domain.register(
                pool,
                0,
                pool.memory().size(),
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.WINDOW_BIND)));
    GrantMemory memory = number -> Optional.of(region);
    GrantKeys windows = new WindowKeys(domain, memory);
    GrantService service =
        opened(
            new GrantService(
                store.grantedSpace(),
                device.attributes(),
                memory,
                windows,
                windows,
                GrantOptions.defaults()));
    RpcOptions usual = RpcOptions.of(RpcSecret.of(GrantFixture.SECRET));
    RpcServer rpc =
        opened(
            RpcServer.start(
                device,
                domain,
                GrantFixture.bind(PROVIDER),
                usual.withConnections(
                    usual.maxConnections(), usual.maxUnauthenticated(), Await.PATIENCE),
                service.addTo(new RpcMethods())));
    Path directory = Path.of("/dev/shm");
    writer =
        opened(
            new GrantWriter(
                GrantFixture.serveOptions(directory, false).withProvider(PROVIDER, directory),
                rpc.address(),
                timer));
  }

  private <T extends AutoCloseable> T opened(T closeable) {
    opened.push(closeable);
    return closeable;
  }

  @AfterEach
  void stop() throws Exception {
    timer.shutdownNow();
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  @Test
  void flushAndAtomicWriteTakeTheKeyOfAWindow() {
    try (RemoteLog log = writer.client.openLog(APPLICATION, LOG, DurabilityDomain.POWER)) {
      assertThat(log.append(block(1, 0, 10_000), 0, 10_000))
          .isEqualTo(new Durability(DurabilityDomain.POWER, DurabilityMethod.FLUSH));
    }
    assertThat(store.logs().entries(APPLICATION, LOG).get(0).read()).contains(block(1, 0, 10_000));
  }

  @Test
  void aWindowOpensAllOfItsRegionWhereTheDeviceDoesNotSayOtherwise() {
    assumeFalse(device.attributes().hasBoundedWindows(), "windows have bounds here");
    ClientGrant grant = writer.client.grant(APPLICATION, 1, 100);
    ClientGrant neighbour = writer.client.grant(APPLICATION, 1, 100);
    BulkBatch beside =
        new BulkBatch(1)
            .publish(neighbour.terms().recordAddress(), grant.terms().recordKey(), 0x1234);

    writer.connection.bulk().transfer(beside, deadline());

    long at = neighbour.terms().recordAddress() - region.address();
    assertThat(region.memory().getLong(at)).isEqualTo(0x1234);
    // A queue pair of the kernel's can't go while windows are bound to it.
    writer.client.abandon(new long[] {grant.terms().grant(), neighbour.terms().grant()});
  }
}
