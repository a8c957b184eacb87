// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.store.serve.StoreServer;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.conformance.Rdmacore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.zip.CRC32C;

/** A served store, and short words about what is in it. */
final class GrantFixture implements AutoCloseable {
  static final byte[] SECRET = "a secret of many bytes".getBytes(StandardCharsets.UTF_8);
  static final String APPLICATION = "app-grant";
  static final int MIB = 1 << 20;

  /** A service. */
  static final int ECHO = DurableService.FIRST_METHOD;

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
    server = serve(provider, options);
  }

  private StoreServer serve(String provider, GrantOptions options) {
    return StoreServer.open(
        store, "granting", bind(provider), serveOptions, options, Map.of(ECHO, GrantFixture::echo));
  }

  /** Answers with what it got: ordinal, checksum of the argument's bytes, request. */
  private static ByteBuffer echo(DurableArgument argument) {
    if (argument.bytes().length() == 0) {
      throw new StoreException(StoreException.Code.INVALID_ARGUMENT, "nothing to echo");
    }
    CRC32C crc = new CRC32C();
    crc.update(argument.bytes().read());
    return ByteBuffer.allocate(2 * Long.BYTES + argument.request().remaining())
        .putLong(argument.ordinal())
        .putLong(crc.getValue())
        .put(argument.request())
        .flip();
  }

  /** A store of others' making, without a log of ours, which is closed with this. */
  GrantFixture(String provider, LocalBlockStore store, Path directory, GrantOptions options) {
    this.directory = directory;
    this.store = store;
    serveOptions = serveOptions(directory, false).withProvider(provider, directory);
    server = serve(provider, options);
  }

  /** Where devices of a provider listen. */
  static InetSocketAddress bind(String provider) {
    return new InetSocketAddress(
        provider.startsWith("rdmacore")
            ? new Rdmacore().address()
            : InetAddress.getLoopbackAddress(),
        0);
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
        .withTimeouts(Await.PATIENCE, Await.PATIENCE);
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
