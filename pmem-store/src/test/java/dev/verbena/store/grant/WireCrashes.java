// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantFixture.block;
import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.memory.MappedMemory;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.crash.SimulatedMemory;
import dev.verbena.store.crash.WireCrashSuite;
import dev.verbena.store.local.LocalBlockStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Appends by real devices at both ends, into a pool of which it is known what was persisted. */
public final class WireCrashes implements WireCrashSuite {
  private static final int LOG = 9;
  private static final long POOL_BYTES = 256 << 10;
  private static final int[] LENGTHS = {0, 100, 5_000, 64, 9_000};

  private static final Map<String, DurabilityMethod> WAYS = new LinkedHashMap<>();

  static {
    WAYS.put("soft", DurabilityMethod.FLUSH);
    WAYS.put(LessProvider.SoftBare.NAME, DurabilityMethod.REMOTE_PERSIST);
    WAYS.put(LessProvider.SoftStaging.NAME, DurabilityMethod.REMOTE_PERSIST);
  }

  /** For {@link WireCrashSuite}'s loader. */
  public WireCrashes() {}

  @Override
  public long run(long seed) {
    long cases = 0;
    for (Map.Entry<String, DurabilityMethod> way : WAYS.entrySet()) {
      cases += append(fresh(), way.getKey(), way.getValue(), seed);
    }
    return cases;
  }

  private static long append(Path root, String provider, DurabilityMethod method, long seed) {
    Path pools = root.resolve("pools");
    LocalBlockStore store = LocalBlockStore.open(options(pools));
    MappedMemory memory = store.numberedPools().get(0).pool().memory();
    WireImage image =
        new WireImage(memory, pools.resolve("granting-0.pool"), root.resolve("crash"), LOG, seed);
    SimulatedMemory.watch(memory, image);
    try (GrantFixture fixture = new GrantFixture(provider, store, root, GrantOptions.defaults());
        GrantWriter writer = fixture.connect();
        RemoteLog log =
            writer.client.openLog(GrantFixture.APPLICATION, LOG, DurabilityDomain.POWER)) {
      for (int i = 0; i < LENGTHS.length; i++) {
        byte[] entry = block(i, 2, LENGTHS[i]);
        image.begins(entry);
        Durability durability = log.append(entry, 0, entry.length);
        image.acknowledged();
        assertThat(durability).isEqualTo(new Durability(DurabilityDomain.POWER, method));
      }
      image.check();
    } finally {
      SimulatedMemory.leave(memory);
    }
    return image.cases();
  }

  /** A store of one small pool. */
  static StoreOptions options(Path directory) {
    return StoreOptions.of(
        TierOptions.file(directory.resolve("granting"), POOL_BYTES, POOL_BYTES)
            .withDomain(DurabilityDomain.POWER)
            .kept());
  }

  /** With a short name, since a device has sockets there; the fixture deletes it. */
  private static Path fresh() {
    try {
      Path root = Files.createTempDirectory(Path.of("/dev/shm"), "store-wire-");
      Files.createDirectories(root.resolve("pools"));
      Files.createDirectories(root.resolve("crash"));
      return root;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
