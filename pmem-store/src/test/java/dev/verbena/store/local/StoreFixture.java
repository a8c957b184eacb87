// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/** Short words for tests of stores. */
final class StoreFixture {
  static final long MIB = 1 << 20;

  private StoreFixture() {}

  static TierOptions memory(Path directory, long size) {
    return TierOptions.memory(directory.resolve("m"), size, size);
  }

  static StoreOptions options(TierOptions... tiers) {
    return StoreOptions.of(tiers).withCloseDeadline(Duration.ofSeconds(5));
  }

  static MapOutputKey key(long attempt) {
    return new MapOutputKey("app-1", 3, attempt);
  }

  static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Writes and commits an output by appends; block p is {@code blocks[p]}. */
  static void write(LocalBlockStore store, MapOutputKey key, byte[]... blocks) {
    try (MapOutputWriter writer = store.openMapOutput(key, blocks.length)) {
      for (int p = 0; p < blocks.length; p++) {
        writer.append(p, blocks[p], 0, blocks[p].length);
      }
      writer.commit(new long[0]);
    }
  }

  static byte[] read(LocalBlockStore store, MapOutputKey key, int first, int end) {
    try (StoredMapOutput output = store.find(key).orElseThrow();
        InputStream in = output.open(first, end)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] concat(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }
}
