// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantFixture.APPLICATION;
import static dev.verbena.store.grant.GrantFixture.MIB;
import static dev.verbena.store.grant.GrantFixture.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.local.LogEntry;
import dev.verbena.store.serve.BlockRange;
import dev.verbena.store.serve.StoreClient;
import dev.verbena.verbs.conformance.NeedsRdmacore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Appends to a pool in a file system with DAX, over a device of the kernel without paging on
 * demand, which can't register it.
 */
@Tag("rdma")
@NeedsRdmacore
@EnabledIfEnvironmentVariable(named = "VERBENA_DAX_DIRECTORY", matches = "/.*")
class FsdaxAppendTest {
  private static final int LOG = 9;
  private static final int[] LENGTHS = {0, 1, 5_000, 300_000};

  private Path directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory =
        Files.createTempDirectory(Path.of(System.getenv("VERBENA_DAX_DIRECTORY")), "append");
  }

  private StoreOptions options() {
    return StoreOptions.of(
        new TierOptions(
            PoolKind.FSDAX,
            directory.resolve("staged"),
            32L * MIB,
            64L * MIB,
            DurabilityDomain.POWER,
            false,
            ""));
  }

  @Test
  void entriesGoThroughOtherMemoryAndAreAsDurableAsThePoolIs() {
    LocalBlockStore store = LocalBlockStore.open(options());
    try (GrantFixture fixture =
            new GrantFixture("rdmacore", store, shm(), GrantOptions.defaults());
        GrantWriter writer = fixture.connect();
        RemoteLog log = writer.client.openLog(APPLICATION, LOG, DurabilityDomain.POWER)) {
      assertThat(fixture.server.stagedPools()).containsExactly(0);
      for (int i = 0; i < LENGTHS.length; i++) {
        assertThat(log.append(block(i, 0, LENGTHS[i]), 0, LENGTHS[i]))
            .isEqualTo(new Durability(DurabilityDomain.POWER, DurabilityMethod.REMOTE_PERSIST));
      }
      byte[] argument = block(1, 1, 100);
      ByteBuffer answer =
          log.call(GrantFixture.ECHO, argument, 0, argument.length, ByteBuffer.allocate(0));
      assertThat(answer.remaining()).isPositive();
      assertThat(log.carrier()).isEqualTo("rxe");
    }
    try (LocalBlockStore again = LocalBlockStore.open(options())) {
      List<LogEntry> entries = again.logs().entries(APPLICATION, LOG);
      assertThat(entries).hasSize(LENGTHS.length + 1);
      for (int i = 0; i < LENGTHS.length; i++) {
        assertThat(entries.get(i).read()).contains(block(i, 0, LENGTHS[i]));
      }
    }
  }

  @Test
  void blocksThereAreNotReadFromElsewhereAndTheReaderIsTold() {
    LocalBlockStore store = LocalBlockStore.open(options());
    try (GrantFixture fixture =
            new GrantFixture("rdmacore", store, shm(), GrantOptions.defaults());
        GrantWriter writer = fixture.connect();
        StoreClient reader = StoreClient.open(fixture.serveOptions())) {
      writer.write(1, 1, 1_000);
      BlockRange range = new BlockRange(GrantFixture.key(1), 0, 1);

      assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 1_000));
      assertThatThrownBy(() -> reader.openMapped(fixture.server.endpoint(), range))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("are not in pool 0");
    }
  }

  private static Path shm() {
    try {
      return Files.createTempDirectory(Path.of("/dev/shm"), "store-staged-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
