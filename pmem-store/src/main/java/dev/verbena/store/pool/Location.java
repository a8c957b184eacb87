// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

/**
 * A place in a store, in one word.
 *
 * <pre>
 *   63            48 47                                   0
 *  | pool number:16 |              offset:48               |
 * </pre>
 */
public final class Location {
  /** Pool numbers are below this. */
  public static final int MAX_POOLS = 1 << 16;

  private static final int OFFSET_BITS = 48;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

  private Location() {}

  /** Packs a place. */
  public static long pack(int pool, long offset) {
    if (pool < 0 || pool >= MAX_POOLS || (offset & ~OFFSET_MASK) != 0) {
      throw new IllegalArgumentException("pool " + pool + ", offset " + offset);
    }
    return (long) pool << OFFSET_BITS | offset;
  }

  /** The pool's number. */
  public static int pool(long location) {
    return (int) (location >>> OFFSET_BITS);
  }

  /** The offset within the pool. */
  public static long offset(long location) {
    return location & OFFSET_MASK;
  }
}
