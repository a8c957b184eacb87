// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.BulkChannel;
import dev.verbena.rpc.RpcMethods;
import dev.verbena.rpc.RpcOptions;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.rpc.RpcServer;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.pool.Pool;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsProvider;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A writer that is stopped in the middle of an access, as far as the verbs below say. */
class GrantQuarantineTest {
  private static final GrantOptions OPTIONS =
      GrantOptions.defaults().withLease(Duration.ofSeconds(2));

  @TempDir Path directory;

  private final AtomicBoolean stopped = new AtomicBoolean(true);

  @Test
  void spaceIsKeptAsLongAsAWriterIsStoppedInItAndThenGivenBack() {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (LocalBlockStore store =
            LocalBlockStore.open(GrantFixture.storeOptions(directory, DurabilityDomain.PROCESS));
        Device device = VerbsProvider.named("soft").open(DeviceOptions.defaults())) {
      ProtectionDomain domain = device.createProtectionDomain();
      Pool pool = store.numberedPools().get(0).pool();
      MemoryRegion region =
          domain.register(
              pool,
              0,
              pool.memory().size(),
              EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.WINDOW_BIND));
      GrantMemory memory = number -> Optional.of(region);
      GrantKeys keys = new StoppableKeys(GrantService.keysFor(device, domain, memory));
      try (GrantService service =
              new GrantService(
                  store.grantedSpace(), device.attributes(), memory, keys, keys, OPTIONS);
          RpcServer rpc =
              RpcServer.start(
                  device,
                  domain,
                  new InetSocketAddress("127.0.0.1", 0),
                  RpcOptions.of(RpcSecret.of(GrantFixture.SECRET)),
                  service.addTo(new RpcMethods()));
          GrantWriter writer =
              new GrantWriter(
                  GrantFixture.serveOptions(Path.of("/dev/shm"), false), rpc.address(), timer)) {
        long before = store.usage().used();
        ClientGrant grant = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
        writer.client.abandon(new long[] {grant.terms().grant()});
        assertThat(service.open()).isZero();
        Await.until("it is put aside", () -> service.quarantined() == 1);
        assertThat(store.usage().used()).isGreaterThan(before);
        ClientGrant next = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
        assertThat(next.terms().recordAddress()).isNotEqualTo(grant.terms().recordAddress());

        stopped.set(false);
        writer.client.abandon(new long[] {next.terms().grant()});
        Await.until("it comes back", () -> store.usage().used() == before);
        assertThat(service.quarantined()).isZero();
      }
      region.close();
    } finally {
      timer.shutdownNow();
    }
  }

  /** Keys that can't be revoked while {@link #stopped}. */
  private final class StoppableKeys implements GrantKeys {
    private final GrantKeys keys;

    StoppableKeys(GrantKeys keys) {
      this.keys = keys;
    }

    @Override
    public KeyPair open(BulkChannel peer, GrantedExtent extent, boolean flush, Deadline deadline) {
      KeyPair pair = keys.open(peer, extent, flush, deadline);
      List<AutoCloseable> holders = new ArrayList<>(pair.holders());
      holders.add(this::revoke);
      return new KeyPair(
          pair.recordKey(),
          pair.recordAddress(),
          pair.wordKey(),
          pair.wordAddress(),
          pair.flush(),
          holders);
    }

    private void revoke() {
      if (stopped.get()) {
        throw new VerbsException(VerbsException.Code.TIMED_OUT, "a writer is stopped");
      }
    }

    @Override
    public long leastBytes() {
      return keys.leastBytes();
    }
  }
}
