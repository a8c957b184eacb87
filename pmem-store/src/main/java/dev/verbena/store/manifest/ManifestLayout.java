// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

/**
 * The layout of a manifest: the payload of the record that commits a map output. Words are in host
 * byte order; positions count from the manifest's first byte.
 *
 * <pre>
 *       0               4               8
 *     0 |    version    |  partitions   |
 *     8 |   segments    | checksums (n) |  n is 0 or the number of partitions
 *    16 |        bytes of all blocks    |
 *    24 | application n |    zeros      |  bytes of the application's id
 *    32 |   segment entry (48) each     |
 *       |   offsets of each segment     |  covered partitions + 1 words each
 *       |   checksums, a word each      |
 *       |   application id, UTF-8       |
 *
 *  segment entry:
 *     0 |  location of its record       |  see Location
 *     8 |  location of its publish word |
 *    16 |  its publish word             |
 *    24 |  bytes of its payload         |
 *    32 | first partition| partitions   |  those it covers
 *    40 |  position of its offsets      |
 * </pre>
 *
 * Partition p of a segment that covers it lies in the segment's payload from offsets[p - first] to
 * before offsets[p - first + 1]. A block is what the segments hold of it, in their order.
 */
public final class ManifestLayout {
  /** The record kind of a manifest. */
  public static final int RECORD_KIND = 2;

  /** The record kind of a segment. */
  public static final int SEGMENT_RECORD_KIND = 1;

  static final int VERSION = 1;
  static final int VERSION_AT = 0;
  static final int PARTITIONS_AT = 4;
  static final int SEGMENTS_AT = 8;
  static final int CHECKSUMS_AT = 12;
  static final int BLOCK_BYTES_AT = 16;
  static final int APPLICATION_BYTES_AT = 24;
  static final int HEADER_BYTES = 32;

  static final int ENTRY_BYTES = 48;
  static final int ENTRY_RECORD_AT = 0;
  static final int ENTRY_WORD_LOCATION_AT = 8;
  static final int ENTRY_WORD_AT = 16;
  static final int ENTRY_LENGTH_AT = 24;
  static final int ENTRY_FIRST_AT = 32;
  static final int ENTRY_COUNT_AT = 36;
  static final int ENTRY_OFFSETS_AT = 40;

  private ManifestLayout() {}

  static long entryAt(int segment) {
    return HEADER_BYTES + (long) segment * ENTRY_BYTES;
  }
}
