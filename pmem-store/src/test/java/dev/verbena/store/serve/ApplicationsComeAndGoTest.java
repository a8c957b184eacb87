// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoreUsage;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.testing.Await;
import dev.verbena.testing.OpenFiles;
import dev.verbena.testing.Pattern;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Applications, one after another, leave nothing behind. {@code -Dverbena.soak.applications=200}
 * makes them more.
 */
class ApplicationsComeAndGoTest {
  private static final int APPLICATIONS = Integer.getInteger("verbena.soak.applications", 30);

  /** After these, what is made once and kept is there. */
  private static final int WARM_UP = 5;

  private static final int OUTPUTS = 4;
  private static final int PARTITIONS = 3;
  private static final int LENGTH = 20_000;
  private static final long MIB = 1 << 20;

  private Path directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "store-soak-");
  }

  @AfterEach
  void removeDirectory() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(900)
  void inOneStoreThatServesThemAll(boolean tcpOnly) {
    ServeOptions options = options(tcpOnly);
    try (LocalBlockStore store = store("served");
        StoreServer server = serve(store, options)) {
      Holdings start = null;
      StoreUsage used = null;
      for (int i = 0; i < APPLICATIONS; i++) {
        if (i == WARM_UP) {
          start = Holdings.now(directory);
          used = store.usage();
        }
        String application = "application-" + i;
        write(store, application);
        readAll(server.endpoint(), options, application, tcpOnly);
        assertThat(store.removeApplication(application)).isEqualTo(OUTPUTS);
      }
      assertThat(store.usage()).isEqualTo(used);
      start.awaitReturn(directory);
    }
    say("in one store", tcpOnly);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(900)
  void inAStoreEach(boolean tcpOnly) {
    ServeOptions options = options(tcpOnly);
    Holdings start = null;
    for (int i = 0; i < APPLICATIONS; i++) {
      if (i == WARM_UP) {
        start = Holdings.now(directory);
      }
      String application = "application-" + i;
      try (LocalBlockStore store = store(application);
          StoreServer server = serve(store, options)) {
        write(store, application);
        readAll(server.endpoint(), options, application, tcpOnly);
      }
    }
    start.awaitReturn(directory);
    say("in a store each", tcpOnly);
  }

  private static void say(String where, boolean tcpOnly) {
    System.out.printf(
        "soak: %d applications %s over %s, %d blocks read right, nothing left%n",
        APPLICATIONS, where, tcpOnly ? "tcp" : "shm", APPLICATIONS * OUTPUTS * PARTITIONS);
  }

  private ServeOptions options(boolean tcpOnly) {
    return ServeOptions.of(RpcSecret.of("known to them all".getBytes(StandardCharsets.UTF_8)))
        .withProvider("soft", directory)
        .withTcpOnly(tcpOnly)
        .withMemory(4 * MIB, MIB);
  }

  private LocalBlockStore store(String name) {
    return LocalBlockStore.open(
        StoreOptions.of(TierOptions.memory(directory.resolve(name), 2 * MIB, 8 * MIB)));
  }

  private static StoreServer serve(LocalBlockStore store, ServeOptions options) {
    return StoreServer.open(store, "store", new InetSocketAddress("127.0.0.1", 0), options);
  }

  private static void write(LocalBlockStore store, String application) {
    for (int output = 0; output < OUTPUTS; output++) {
      try (MapOutputWriter writer =
          store.openMapOutput(new MapOutputKey(application, 0, output), PARTITIONS)) {
        for (int p = 0; p < PARTITIONS; p++) {
          writer.append(p, block(application, output, p), 0, LENGTH);
        }
        writer.commit(new long[0]);
      }
    }
  }

  private static void readAll(
      StoreEndpoint endpoint, ServeOptions options, String application, boolean tcpOnly) {
    List<BlockRange> ranges = new ArrayList<>();
    for (int output = 0; output < OUTPUTS; output++) {
      for (int p = 0; p < PARTITIONS; p++) {
        ranges.add(new BlockRange(new MapOutputKey(application, 0, output), p, p + 1));
      }
    }
    try (StoreClient client = StoreClient.open(options)) {
      Collected got = new Collected();
      client.fetch(endpoint, ranges, got);
      got.await(ranges.size());
      assertThat(got.failures).isEmpty();
      assertThat(got.carriers.values()).containsOnly(tcpOnly ? "tcp" : "shm");
      for (BlockRange range : ranges) {
        assertThat(got.blocks.get(range))
            .isEqualTo(block(application, range.output().mapAttempt(), range.first()));
      }
    }
  }

  private static byte[] block(String application, long output, int partition) {
    return new Pattern(application.hashCode() * 31L + output * PARTITIONS + partition)
        .bytes(0, LENGTH);
  }

  /**
   * What this process holds of what the kernel counts: proc(5).
   *
   * @param descriptors open files and sockets
   * @param mappings of files in the test's directory
   * @param files there
   * @param threads of Verbena
   */
  private record Holdings(OpenFiles descriptors, int mappings, int files, int threads) {
    static Holdings now(Path directory) {
      try (Stream<Path> files = Files.walk(directory)) {
        long mappings =
            Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains(directory.toString()))
                .count();
        long threads =
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("verbena-"))
                .count();
        return new Holdings(OpenFiles.now(), (int) mappings, (int) files.count(), (int) threads);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** A peer's end hears of a closed connection a moment later. */
    void awaitReturn(Path directory) {
      Await.until(
          () -> "no more than " + this + ", now " + now(directory),
          () -> now(directory).isWithin(this));
    }

    private boolean isWithin(Holdings most) {
      return descriptors.since(most.descriptors).isEmpty()
          && mappings <= most.mappings
          && files <= most.files
          && threads <= most.threads;
    }
  }
}
