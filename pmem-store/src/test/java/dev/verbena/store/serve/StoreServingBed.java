// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import static dev.verbena.store.serve.ServingChild.key;

import dev.verbena.rpc.RpcSecret;
import dev.verbena.testing.Pattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store that a child process serves, and a client of it. */
abstract class StoreServingBed {
  static final int MIB = 1 << 20;

  ServingChild child;
  StoreClient client;
  private Path directory;

  abstract boolean tcpOnly();

  @BeforeEach
  void start() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "store-serving-");
    child = ServingChild.start(directory, tcpOnly());
    client = StoreClient.open(options(ServingChild.SECRET));
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    child.close();
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    }
  }

  /** Where the child has its pools. */
  final Path directory() {
    return directory;
  }

  final ServeOptions options(byte[] secret) {
    return ServeOptions.of(RpcSecret.of(secret))
        .withProvider("soft", directory)
        .withTcpOnly(tcpOnly())
        .withTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(20));
  }

  final Collected fetch(List<BlockRange> ranges) {
    Collected got = new Collected();
    client.fetch(child.endpoint(), ranges, got);
    return got.await(ranges.size());
  }

  final StoreClient client() {
    return client;
  }

  final ServingChild child() {
    return child;
  }

  static BlockRange range(int output) {
    return new BlockRange(key(output), 0, 1);
  }

  static byte[] pattern(long seed, int length) {
    return new Pattern(seed).bytes(0, length);
  }
}
