// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The layout of a bucket: 64 bytes, one cache line. Words are in host byte order.
 *
 * <pre>
 *      0               4               8
 *    0 |      CRC      |    version    |  CRC32C of bytes 4 to 63; the word is 0 if the bucket is free
 *    8 |  fingerprint:48   | zeros:16  |  what a CAS on a control segment can compare
 *   16 |        application hash       |
 *   24 |          map attempt          |
 *   32 |    shuffle    |  partitions   |
 *   40 |     manifest's location       |
 *   48 |    manifest's publish word    |
 *   56 | manifest bytes|    zeros      |
 * </pre>
 *
 * The first word is written last, and zeroed first; a torn read fails on the CRC. The version
 * counts the changes of the table, so that no two states of a bucket look alike.
 */
public final class BucketLayout {
  /** Bytes of a bucket. */
  public static final int BYTES = 64;

  /** An entry is in one of this many buckets, from the one its key names. */
  public static final int WINDOW = 16;

  /** Bytes to read to see every bucket that can hold a key. */
  public static final int WINDOW_BYTES = WINDOW * BYTES;

  static final int CHECK_AT = 0;
  static final int VERSION_AT = 4;
  static final int FINGERPRINT_AT = 8;
  static final int APPLICATION_AT = 16;
  static final int MAP_ATTEMPT_AT = 24;
  static final int SHUFFLE_AT = 32;
  static final int PARTITIONS_AT = 36;
  static final int MANIFEST_AT = 40;
  static final int PUBLISH_WORD_AT = 48;
  static final int MANIFEST_BYTES_AT = 56;

  private static final int FINGERPRINT_SHIFT = 16;

  private BucketLayout() {}

  static byte[] encode(IndexEntry entry, int version) {
    byte[] bytes = new byte[BYTES];
    ByteBuffer bucket = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    bucket.putInt(VERSION_AT, version);
    bucket.putLong(FINGERPRINT_AT, entry.key().fingerprint() << FINGERPRINT_SHIFT);
    bucket.putLong(APPLICATION_AT, entry.key().applicationHash());
    bucket.putLong(MAP_ATTEMPT_AT, entry.key().mapAttempt());
    bucket.putInt(SHUFFLE_AT, entry.key().shuffle());
    bucket.putInt(PARTITIONS_AT, entry.partitions());
    bucket.putLong(MANIFEST_AT, entry.manifest());
    bucket.putLong(PUBLISH_WORD_AT, entry.publishWord());
    bucket.putInt(MANIFEST_BYTES_AT, entry.manifestBytes());
    bucket.putInt(CHECK_AT, crc(bytes, 0));
    return bytes;
  }

  /** The entry in the bucket at {@code at}; empty if it is free, torn, or no bucket at all. */
  static Optional<IndexEntry> decode(byte[] bytes, int at) {
    ByteBuffer bucket = ByteBuffer.wrap(bytes, at, BYTES).slice().order(ByteOrder.nativeOrder());
    if (bucket.getLong(CHECK_AT) == 0 || bucket.getInt(CHECK_AT) != crc(bytes, at)) {
      return Optional.empty();
    }
    IndexKey key =
        new IndexKey(
            bucket.getLong(APPLICATION_AT),
            bucket.getInt(SHUFFLE_AT),
            bucket.getLong(MAP_ATTEMPT_AT));
    return Optional.of(
        new IndexEntry(
            key,
            bucket.getInt(PARTITIONS_AT),
            bucket.getLong(MANIFEST_AT),
            bucket.getInt(MANIFEST_BYTES_AT),
            bucket.getLong(PUBLISH_WORD_AT)));
  }

  /** Whether some bucket of a window is neither free nor intact: it was caught in a change. */
  private static boolean isTorn(byte[] bytes, int at) {
    long first = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong(at + CHECK_AT);
    return first != 0 && (int) first != crc(bytes, at);
  }

  /** What a window says of a key. */
  public sealed interface Lookup {
    /** The entry. */
    record Found(IndexEntry entry) implements Lookup {}

    /** The key is not in this table. */
    record Absent() implements Lookup {}

    /** A bucket was caught in a change, or this is no table any more: read again. */
    record Torn() implements Lookup {}
  }

  /** Looks for a key in the bytes of its window, as read from the table. */
  public static Lookup find(byte[] window, IndexKey key) {
    boolean torn = false;
    for (int i = 0; i < WINDOW; i++) {
      int at = i * BYTES;
      Optional<IndexEntry> entry = decode(window, at);
      if (entry.isPresent() && entry.get().key().equals(key)) {
        return new Lookup.Found(entry.get());
      }
      torn |= isTorn(window, at);
    }
    return torn ? new Lookup.Torn() : new Lookup.Absent();
  }

  private static int crc(byte[] bytes, int at) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, at + VERSION_AT, BYTES - VERSION_AT);
    return (int) crc.getValue();
  }
}
