// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.store.serve.StoreServer;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A served store, and short words about what is in it. */
final class GrantFixture implements AutoCloseable {
  static final byte[] SECRET = "a secret of many bytes".getBytes(StandardCharsets.UTF_8);
  static final String APPLICATION = "app-grant";
  static final int MIB = 1 << 20;

  final Path directory;
  final LocalBlockStore store;
  final StoreServer server;
  private final ServeOptions serveOptions;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  GrantFixture(boolean tcpOnly, GrantOptions options) {
    this("soft", tcpOnly, DurabilityDomain.PROCESS, options);
  }

  GrantFixture(String provider, boolean tcpOnly, DurabilityDomain domain, GrantOptions options) {
    try {
      directory = Files.createTempDirectory(Path.of("/dev/shm"), "store-grants-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    store = LocalBlockStore.open(storeOptions(directory, domain));
    serveOptions = serveOptions(directory, tcpOnly).withProvider(provider, directory);
    server =
        StoreServer.open(
            store, "granting", new InetSocketAddress("127.0.0.1", 0), serveOptions, options);
  }

  static StoreOptions storeOptions(Path directory, DurabilityDomain domain) {
    TierOptions tier =
        domain == DurabilityDomain.PROCESS
            ? TierOptions.memory(directory.resolve("granting"), 8 * MIB, 256 * MIB)
            : TierOptions.file(directory.resolve("granting"), 8 * MIB, 256 * MIB)
                .withDomain(domain);
    return StoreOptions.of(tier.kept()).withVerifyReads(true);
  }

  static ServeOptions serveOptions(Path directory, boolean tcpOnly) {
    return ServeOptions.of(RpcSecret.of(SECRET))
        .withProvider("soft", directory)
        .withTcpOnly(tcpOnly)
        .withTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(20));
  }

  ServeOptions serveOptions() {
    return serveOptions;
  }

  /** Connects a writer. */
  GrantWriter connect() {
    return new GrantWriter(serveOptions(), server.endpoint().addresses().get(0), timer);
  }

  static MapOutputKey key(int output) {
    return new MapOutputKey(APPLICATION, 3, output);
  }

  static byte[] block(int output, int partition, int length) {
    return new Pattern(output * 1_000L + partition).bytes(0, length);
  }

  /** Bytes of the pools that are in use. */
  long used() {
    return store.usage().used();
  }

  /** What a reader in the store's own process gets. */
  byte[] read(int output, int partition) {
    try (StoredMapOutput stored = store.find(key(output)).orElseThrow();
        InputStream in = stored.open(partition, partition + 1)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** From now on no writer renews a lease. */
  void stopRenewing() {
    timer.shutdownNow();
  }

  void awaitUsed(long bytes) {
    Await.until("the space to come back", () -> used() == bytes);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    server.close();
    store.close();
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
