// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.grant.GrantOptions;
import dev.verbena.store.serve.BlockRange;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.store.serve.StoreClient;
import dev.verbena.testing.Pattern;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;

/** A directory for an agent, and short words about what applications do there. */
final class AgentFixture implements AutoCloseable {
  static final byte[] SECRET = "a secret of many bytes".getBytes(StandardCharsets.UTF_8);
  static final byte[] OTHER_SECRET = "another one, also long".getBytes(StandardCharsets.UTF_8);
  static final int SHUFFLE = 3;
  static final int BLOCK = 100_000;
  static final long QUOTA = 16 << 20;
  static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final int MIB = 1 << 20;

  final Path directory;

  AgentFixture() {
    try {
      directory = Files.createTempDirectory(Path.of("/dev/shm"), "agent-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An agent in that directory, whose pool is kept. */
  static AgentOptions options(Path directory, String token, Duration vanishedAfter) {
    return new AgentOptions(
        "node-1",
        StoreOptions.of(TierOptions.memory(directory.resolve("pool"), 8 * MIB, 64 * MIB).kept())
            .withApplicationQuota(QUOTA),
        GrantOptions.defaults(),
        "soft",
        false,
        directory,
        InetAddress.getLoopbackAddress(),
        directory.resolve("agent.sock"),
        SocketAccess.OWNER,
        directory.resolve("state"),
        token,
        vanishedAfter,
        Duration.ofSeconds(10));
  }

  StoreAgent start(Duration vanishedAfter) {
    return StoreAgent.open(options(directory, "", vanishedAfter));
  }

  StoreAgent start() {
    return start(Duration.ofMinutes(10));
  }

  AgentClient client() {
    return new AgentClient(directory.resolve("agent.sock"), "", TIMEOUT);
  }

  AgentAttachment attach(String application) {
    return AgentAttachment.attach(client(), application, SECRET);
  }

  /** Writes a block into the agent's store, one-sided. */
  static MapOutputCommit write(AgentAttachment attached, String application, int attempt) {
    try (RemoteWriters writers = RemoteWriters.open(attached.options());
        MapOutputWriter writer =
            writers.openMapOutput(attached.store(), key(application, attempt), 1)) {
      writer.append(0, block(attempt), 0, BLOCK);
      return writer.commit(new long[0]);
    }
  }

  static byte[] read(AgentAttachment attached, String application, int attempt) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (StoreClient client = StoreClient.open(attached.options())) {
      client.transfer(
          attached.store(),
          new BlockRange(key(application, attempt), 0, 1),
          new dev.verbena.store.BlockSink() {
            @Override
            public void put(byte[] source, int offset, int length) {
              out.write(source, offset, length);
            }

            @Override
            public void put(ByteBuffer source) {
              byte[] copy = new byte[source.remaining()];
              source.get(copy);
              out.writeBytes(copy);
            }
          });
    }
    return out.toByteArray();
  }

  static MapOutputKey key(String application, int attempt) {
    return new MapOutputKey(application, SHUFFLE, attempt);
  }

  static byte[] block(int attempt) {
    return new Pattern(attempt).bytes(0, BLOCK);
  }

  @Override
  public void close() {
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
