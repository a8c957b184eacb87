// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What is looked up: a map output, its application as a hash.
 *
 * @param applicationHash {@link #hashOf} of the application's id
 * @param shuffle the shuffle
 * @param mapAttempt the map task attempt
 */
public record IndexKey(long applicationHash, int shuffle, long mapAttempt) {
  private static final int FINGERPRINT_SHIFT = 16;

  /** The key of a map output. */
  public static IndexKey of(String application, int shuffle, long mapAttempt) {
    return new IndexKey(hashOf(application), shuffle, mapAttempt);
  }

  /** The first 8 bytes of the SHA-256 of an application's id in UTF-8, big-endian. */
  public static long hashOf(String application) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(application.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The 48-bit fingerprint, never 0. */
  long fingerprint() {
    long bits = hash() >>> FINGERPRINT_SHIFT;
    return bits == 0 ? 1 : bits;
  }

  /** The first bucket to look at in a table of {@code buckets}, a power of two. */
  public long bucket(long buckets) {
    // A second mix, so that keys that meet in a bucket do not share their fingerprints.
    return mix(hash()) & (buckets - 1);
  }

  private long hash() {
    return mix(mix(applicationHash ^ shuffle) + mapAttempt);
  }

  /** The finaliser of MurmurHash3 (Appleby). */
  private static long mix(long value) {
    long h = value + 0x9e3779b97f4a7c15L;
    h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
    h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return h ^ (h >>> 33);
  }
}
