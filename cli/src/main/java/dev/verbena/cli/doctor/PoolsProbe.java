// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.BlockStore;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/**
 * An append to a pool of each kind, made durable to the domain that was asked for, or else to the
 * kind's ceiling, and found again after closing and recovering the pool.
 */
final class PoolsProbe implements Probe {
  private static final String AREA = "pools";
  private static final long POOL_BYTES = 4 << 20;
  private static final int BLOCK = 64 << 10;
  private static final int ROUNDS = 20;

  private final Path memory;
  private final Path files;
  private final List<Path> dax;
  private final DurabilityDomain wanted;

  /**
   * Creates a probe.
   *
   * @param memory directory for pools in memory
   * @param files directory for pools in files
   * @param dax directories in DAX file systems, one of each
   * @param wanted the domain that one of them must reach; null if it does not matter
   */
  PoolsProbe(Path memory, Path files, List<Path> dax, DurabilityDomain wanted) {
    this.memory = memory;
    this.files = files;
    this.dax = dax;
    this.wanted = wanted;
  }

  @Override
  public List<Finding> look() {
    List<Finding> findings = new ArrayList<>();
    findings.add(append(PoolKind.MEMORY, memory));
    findings.add(append(PoolKind.FILE, files));
    for (Path directory : dax) {
      findings.add(
          Files.isWritable(directory)
              ? append(PoolKind.FSDAX, directory)
              : Finding.warning(
                  AREA,
                  "fsdax pool in " + directory,
                  "not tried, the directory isn't writable by this user",
                  "make a directory there that is"));
    }
    return findings;
  }

  private Finding append(PoolKind kind, Path directory) {
    String name = kind.name().toLowerCase(Locale.ROOT);
    String subject = name + " pool in " + directory;
    DurabilityDomain domain = wanted == null ? kind.ceiling() : wanted;
    if (domain.compareTo(kind.ceiling()) > 0) {
      return Finding.warning(
          AREA,
          subject,
          "up to domain " + kind.ceiling() + ", below " + domain,
          "choose pools in files for domain " + domain);
    }
    try {
      double micros = appendAndRecover(kind, directory, domain);
      return Finding.ok(
          AREA,
          subject,
          String.format(
              Locale.ROOT,
              "append of 64 KiB %.0f us, domain %s by %s, found again; ceiling %s",
              micros,
              domain,
              kind.methodFor(domain),
              kind.ceiling()));
    } catch (IOException | StoreException e) {
      return Finding.problem(
          AREA, subject, e.getMessage(), "make the directory writable, with room for a pool");
    }
  }

  private static double appendAndRecover(PoolKind kind, Path directory, DurabilityDomain domain)
      throws IOException {
    Path own = Files.createTempDirectory(directory, "verbena-doctor-");
    try {
      StoreOptions options =
          StoreOptions.of(
              new TierOptions(
                  kind, own.resolve("pool"), POOL_BYTES, POOL_BYTES, domain, false, ""));
      double micros = append(options);
      recover(options);
      return micros;
    } finally {
      remove(own);
    }
  }

  private static double append(StoreOptions options) {
    byte[] block = block();
    try (BlockStore store = LocalBlockStore.open(options)) {
      long started = System.nanoTime();
      for (int i = 0; i < ROUNDS; i++) {
        try (MapOutputWriter writer = store.openMapOutput(key(i), 1)) {
          writer.append(0, block, 0, BLOCK);
          writer.commit(new long[0]);
        }
      }
      return (System.nanoTime() - started) / 1e3 / ROUNDS;
    }
  }

  private static void recover(StoreOptions options) {
    try (BlockStore store = LocalBlockStore.open(options)) {
      for (int i = 0; i < ROUNDS; i++) {
        check(store, key(i), block());
      }
    }
  }

  private static byte[] block() {
    byte[] block = new byte[BLOCK];
    new Random(BLOCK).nextBytes(block);
    return block;
  }

  private static void remove(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> entries = Files.list(directory)) {
      files = entries.toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
    Files.delete(directory);
  }

  private static void check(BlockStore store, MapOutputKey key, byte[] expected) {
    byte[] found = new byte[expected.length];
    try (StoredMapOutput output =
        store
            .find(key)
            .orElseThrow(
                () ->
                    new StoreException(
                        StoreException.Code.NOT_FOUND, key + " was not recovered"))) {
      output.read(0, 1, 0, ByteBuffer.wrap(found), 0, found.length);
    }
    if (!Arrays.equals(found, expected)) {
      throw new StoreException(StoreException.Code.CORRUPT, key + " is not what was appended");
    }
  }

  private static MapOutputKey key(int number) {
    return new MapOutputKey("verbena-doctor", 0, number);
  }
}
