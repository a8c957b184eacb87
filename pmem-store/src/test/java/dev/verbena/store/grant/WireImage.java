// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.crash.SimulatedMemory;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.local.LogEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a loss of power would leave of a pool that a device writes into: of lines that were not
 * persisted, what was there before, what is there now, or some words of both. Each time something
 * is persisted, and when an append is acknowledged, it looks what recovery makes of that.
 */
final class WireImage implements SimulatedMemory.Persisted {
  private static final int LINE_BYTES = 64;

  private final MappedMemory memory;
  private final Path crashed;
  private final Path crashDirectory;
  private final int log;
  private final SplittableRandom random;
  private final byte[] safe;
  private final List<byte[]> done = new ArrayList<>();
  private byte[] underWay;
  private AssertionError failure;
  private long cases;

  /** What is made of one line that was not persisted. */
  private enum Outcome {
    LOST,
    KEPT,
    TORN
  }

  WireImage(MappedMemory memory, Path pool, Path crashDirectory, int log, long seed) {
    this.memory = memory;
    this.crashDirectory = crashDirectory;
    this.crashed = crashDirectory.resolve(pool.getFileName());
    this.log = log;
    this.random = new SplittableRandom(seed);
    this.safe = now();
  }

  /** An append begins. */
  synchronized void begins(byte[] entry) {
    underWay = entry;
  }

  /** It has returned. */
  synchronized void acknowledged() {
    done.add(underWay);
    underWay = null;
    crash();
    check();
  }

  /** Throws what was wrong. */
  synchronized void check() {
    if (failure != null) {
      throw failure;
    }
  }

  synchronized long cases() {
    return cases;
  }

  @Override
  public synchronized void range(long offset, long length) {
    crash();
    byte[] now = now();
    int from = (int) (offset / LINE_BYTES) * LINE_BYTES;
    int end =
        (int) Math.min(now.length, (offset + length + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    System.arraycopy(now, from, safe, from, end - from);
    crash();
  }

  /** Looks what each kind of crash would leave now. */
  private void crash() {
    byte[] now = now();
    for (Outcome outcome : Outcome.values()) {
      try {
        recover(left(now, outcome));
      } catch (AssertionError e) {
        failure = failure == null ? e : failure;
      }
      cases++;
    }
  }

  private byte[] left(byte[] now, Outcome outcome) {
    byte[] left = safe.clone();
    for (int line = 0; line < now.length; line += LINE_BYTES) {
      boolean torn = outcome == Outcome.TORN && random.nextBoolean();
      boolean kept = outcome == Outcome.KEPT || (outcome == Outcome.TORN && random.nextBoolean());
      for (int at = line; at < line + LINE_BYTES; at += Long.BYTES) {
        if (torn ? random.nextBoolean() : kept) {
          System.arraycopy(now, at, left, at, Long.BYTES);
        }
      }
    }
    return left;
  }

  private void recover(byte[] left) {
    try {
      Files.write(crashed, left);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try (LocalBlockStore store = LocalBlockStore.open(WireCrashes.options(crashDirectory))) {
      List<LogEntry> entries = store.logs().entries(GrantFixture.APPLICATION, log);
      List<byte[]> expected = new ArrayList<>(done);
      if (underWay != null && entries.size() > done.size()) {
        expected.add(underWay);
      }
      assertThat(entries).as("entries after a crash").hasSize(expected.size());
      for (int i = 0; i < expected.size(); i++) {
        assertThat(entries.get(i).read()).as("entry %d", i).contains(expected.get(i));
      }
    }
  }

  private byte[] now() {
    byte[] bytes = new byte[(int) memory.size()];
    memory.get(0, bytes, 0, bytes.length);
    return bytes;
  }
}
