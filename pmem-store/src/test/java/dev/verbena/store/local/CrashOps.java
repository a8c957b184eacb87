// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Keys, blocks and writes of the histories. */
final class CrashOps {
  static final int SHUFFLES = 3;
  static final int ATTEMPTS = 40;

  /** Every key that a history uses. */
  static final List<MapOutputKey> KEYS = keys();

  private CrashOps() {}

  static MapOutputKey key(String application, int shuffle, int attempt) {
    return new MapOutputKey(application, shuffle, attempt);
  }

  private static List<MapOutputKey> keys() {
    List<MapOutputKey> keys = new ArrayList<>();
    for (String application : List.of("a", "b")) {
      for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
          keys.add(key(application, shuffle, attempt));
        }
      }
    }
    return keys;
  }

  /** Blocks of about {@code bytes} bytes each. */
  static byte[][] blocks(int partitions, int bytes, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[][] blocks = new byte[partitions][];
    for (int p = 0; p < partitions; p++) {
      blocks[p] = new byte[bytes - random.nextInt(bytes / 8 + 1)];
      random.nextBytes(blocks[p]);
    }
    return blocks;
  }

  /** Writes an output in rounds and commits it. */
  static MapOutputCommit write(
      LocalBlockStore store, MapOutputKey key, byte[][] blocks, int rounds) {
    try (MapOutputWriter writer = store.openMapOutput(key, blocks.length)) {
      append(writer, blocks, rounds);
      return writer.commit(new long[0]);
    }
  }

  static void append(MapOutputWriter writer, byte[][] blocks, int rounds) {
    for (int round = 0; round < rounds; round++) {
      if (round > 0) {
        writer.startRound();
      }
      for (int p = 0; p < blocks.length; p++) {
        int from = blocks[p].length * round / rounds;
        int end = blocks[p].length * (round + 1) / rounds;
        writer.append(p, blocks[p], from, end - from);
      }
    }
  }
}
