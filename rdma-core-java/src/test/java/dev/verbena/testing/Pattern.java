// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing;

import dev.verbena.memory.MappedMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Bytes that depend on a seed and their position, so that a misplaced, torn or stale byte shows.
 *
 * @param seed tells one pattern from another
 */
public record Pattern(long seed) {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int CHUNK = 1 << 16;

  /** The pattern's bytes from {@code position} on. */
  public byte[] bytes(long position, int length) {
    byte[] words = new byte[((int) (position & 7) + length + 7) & ~7];
    long first = position >>> 3;
    for (int i = 0; i < words.length; i += 8) {
      LONGS.set(words, i, mix(seed * 0x9e3779b97f4a7c15L + first + (i >>> 3)));
    }
    byte[] result = new byte[length];
    System.arraycopy(words, (int) (position & 7), result, 0, length);
    return result;
  }

  /** Puts the first {@code length} bytes of the pattern at {@code offset}. */
  public void fill(MappedMemory memory, long offset, long length) {
    for (long done = 0; done < length; done += CHUNK) {
      int run = (int) Math.min(CHUNK, length - done);
      memory.put(offset + done, bytes(done, run), 0, run);
    }
  }

  /** Position of the first byte at {@code offset} that differs from the pattern, or -1. */
  public long mismatch(MappedMemory memory, long offset, long length) {
    byte[] found = new byte[CHUNK];
    for (long done = 0; done < length; done += CHUNK) {
      int run = (int) Math.min(CHUNK, length - done);
      memory.get(offset + done, found, 0, run);
      byte[] expected = bytes(done, run);
      int at = Arrays.mismatch(expected, 0, run, found, 0, run);
      if (at >= 0) {
        return done + at;
      }
    }
    return -1;
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long z) {
    long x = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }
}
