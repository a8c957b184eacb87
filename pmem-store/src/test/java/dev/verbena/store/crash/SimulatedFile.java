// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import dev.verbena.memory.MappedMemory;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;

/** A file and what of it is safe. */
final class SimulatedFile {
  private static final int LINE_BYTES = 64;

  /** What is stored whole or not at all. */
  private static final int WORD_BYTES = 8;

  private final String name;
  private final byte[] safe;
  private final BitSet unsafeLines;
  private MappedMemory memory;
  private boolean named;
  private boolean lengthSafe;

  /** The file is at least this long after a crash: blocks written back take their place along. */
  private int reached;

  private SimulatedFile(
      String name, byte[] safe, BitSet unsafeLines, boolean named, boolean lengthSafe) {
    this.name = name;
    this.safe = safe;
    this.unsafeLines = unsafeLines;
    this.named = named;
    this.lengthSafe = lengthSafe;
  }

  /** A file of zeros that was just made. */
  static SimulatedFile unfinished(String name, int size) {
    return new SimulatedFile(name, new byte[size], new BitSet(), false, false);
  }

  /** A file that has been there. */
  static SimulatedFile safe(String name, byte[] bytes) {
    return new SimulatedFile(name, bytes, new BitSet(), true, true);
  }

  SimulatedFile copy() {
    SimulatedFile copy =
        new SimulatedFile(name, safe.clone(), (BitSet) unsafeLines.clone(), named, lengthSafe);
    copy.reached = reached;
    return copy;
  }

  String name() {
    return name;
  }

  void map(MappedMemory now) {
    memory = now;
  }

  void syncName() {
    named = true;
  }

  void syncLength() {
    lengthSafe = true;
  }

  /** Lines that are unsafe already may be written back before they change again. */
  void willStore(long offset, long length, IntPredicate evict, BooleanSupplier word) {
    for (int line = line(offset); line <= lastLine(offset, length); line++) {
      if (unsafeLines.get(line) && evict.test(line)) {
        for (int at = line * LINE_BYTES; at < end(line); at += WORD_BYTES) {
          if (word.getAsBoolean()) {
            writeBack(at, Math.min(WORD_BYTES, end(line) - at));
          }
        }
      }
      unsafeLines.set(line);
    }
  }

  void persist(long offset, long length) {
    int last = lastLine(offset, length);
    for (int line = unsafeLines.nextSetBit(line(offset));
        line >= 0 && line <= last;
        line = unsafeLines.nextSetBit(line + 1)) {
      persistLine(line);
    }
    reached = Math.max(reached, end(last));
  }

  boolean isUnsafe() {
    return !unsafeLines.isEmpty();
  }

  void persistAll() {
    for (int line = unsafeLines.nextSetBit(0); line >= 0; line = unsafeLines.nextSetBit(line + 1)) {
      persistLine(line);
    }
  }

  void damage(int at) {
    safe[at] ^= 1;
  }

  private void persistLine(int line) {
    writeBack(line * LINE_BYTES, end(line) - line * LINE_BYTES);
    unsafeLines.clear(line);
  }

  private void writeBack(int at, int length) {
    memory.get(at, safe, at, length);
    reached = Math.max(reached, at + length);
  }

  /** The file after a crash; empty if it is gone. */
  Optional<byte[]> afterCrash(byte[] live, Outcome outcome, RandomGenerator random) {
    if (!named && !outcome.choose(random)) {
      return Optional.empty();
    }
    byte[] left = safe.clone();
    for (int line = unsafeLines.nextSetBit(0); line >= 0; line = unsafeLines.nextSetBit(line + 1)) {
      // Kept, lost or torn, one third each.
      boolean torn = outcome == Outcome.MIXED && random.nextInt(3) == 0;
      boolean kept = outcome.choose(random);
      for (int at = line * LINE_BYTES; at < end(line); at += WORD_BYTES) {
        if (torn ? random.nextBoolean() : kept) {
          System.arraycopy(live, at, left, at, Math.min(WORD_BYTES, end(line) - at));
        }
      }
    }
    if (lengthSafe || outcome == Outcome.KEPT) {
      return Optional.of(left);
    }
    int length = outcome == Outcome.LOST ? reached : random.nextInt(reached, left.length + 1);
    return Optional.of(Arrays.copyOf(left, length));
  }

  private int end(int line) {
    return Math.min((line + 1) * LINE_BYTES, safe.length);
  }

  private static int line(long offset) {
    return (int) (offset / LINE_BYTES);
  }

  private static int lastLine(long offset, long length) {
    return length == 0 ? -1 : line(offset + length - 1);
  }
}
