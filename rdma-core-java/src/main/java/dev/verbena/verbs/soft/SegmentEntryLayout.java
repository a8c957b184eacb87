// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * An entry of the segment table: which file an address's segment number stands for. Host byte
 * order.
 *
 * <pre>
 *   0                               8                               16
 *   +-------------------------------+-------------------------------+
 *   |  generation, 0 = free         |  size in bytes                |
 *   +---------------+---------------+-------------------------------+ 16
 *   |  path length  |  path of the file, UTF-8 ...                  |
 *   +---------------+-----------------------------------------------+ 512
 * </pre>
 *
 * The generation is stored last, with release, and differs each time the entry is used again. A
 * path length of 0 is memory that no other process can map.
 */
final class SegmentEntryLayout {
  static final long SIZE = 512;
  static final long GENERATION_OFFSET = 0;
  static final long SIZE_OFFSET = 8;
  static final long PATH_LENGTH_OFFSET = 16;
  static final long PATH_OFFSET = 20;
  static final int MAX_PATH = (int) (SIZE - PATH_OFFSET);

  private SegmentEntryLayout() {}
}
