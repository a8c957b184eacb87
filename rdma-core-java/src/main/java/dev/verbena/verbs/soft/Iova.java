// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * An address as work requests carry it.
 *
 * <pre>
 *   63            48 47                                             0
 *   +---------------+-----------------------------------------------+
 *   |  segment      |  offset in the segment                        |
 *   +---------------+-----------------------------------------------+
 * </pre>
 */
final class Iova {
  private static final int SEGMENT_SHIFT = 48;
  private static final long OFFSET_MASK = (1L << SEGMENT_SHIFT) - 1;

  private Iova() {}

  static long of(int segment, long offset) {
    return ((long) segment << SEGMENT_SHIFT) | offset;
  }

  static int segment(long address) {
    return (int) (address >>> SEGMENT_SHIFT);
  }

  static long offset(long address) {
    return address & OFFSET_MASK;
  }
}
