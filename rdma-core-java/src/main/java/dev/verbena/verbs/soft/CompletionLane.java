// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;

/**
 * A single-producer, single-consumer ring of completions in a queue pair's area. As deep as the
 * work queue whose requests it completes, and a request's place there is free again only when its
 * completion was polled, so it can't overflow. Entries of 32 bytes, host byte order:
 *
 * <pre>
 *   63              32 31      24 23      16 15       8 7        0
 *   +-----------------+----------+----------+----------+----------+
 *   |  running number |  vendor  |  flags,  |  opcode  |  status  |   0
 *   |  + 1            |  error   |  0x80 on |          |          |
 *   +-----------------+----------+----------+----------+----------+
 *   |  byte length                |  immediate                    |   8
 *   +-----------------------------+-------------------------------+
 *   |  number of the request (send lane)                          |  16
 *   +-------------------------------------------------------------+
 * </pre>
 *
 * The first word is stored last, with release; its running number tells the consumer that the entry
 * is there.
 */
final class CompletionLane {
  static final int ENTRY_SIZE = 32;
  static final int IMMEDIATE = 1;
  static final int SOLICITED = 2;

  /** The immediate is a key that was invalidated. */
  static final int INVALIDATED = 4;

  /** Set in every entry, so that no entry's first word is 0. */
  private static final int PRESENT = 0x80;

  private static final long LENGTHS_OFFSET = 8;
  private static final long REQUEST_OFFSET = 16;

  private final MappedMemory area;
  private final long base;
  private final int mask;
  private long produced;
  private long consumed;
  private long counted;

  CompletionLane(MappedMemory area, long base, int depth) {
    this.area = area;
    this.base = base;
    this.mask = depth - 1;
  }

  /** Producer: adds a completion. */
  void add(
      int status, int opcode, int flags, int vendor, int byteLength, int immediate, long request) {
    long entry = entry(produced);
    area.putLong(entry + LENGTHS_OFFSET, ((long) byteLength << 32) | (immediate & 0xffff_ffffL));
    area.putLong(entry + REQUEST_OFFSET, request);
    produced++;
    int low = (vendor << 24) | ((flags | PRESENT) << 16) | (opcode << 8) | status;
    area.putLongRelease(entry, (produced << 32) | (low & 0xffff_ffffL));
  }

  /** Consumer: the first word of the next entry, or 0 if there is none yet. */
  long peek() {
    long word = area.getLongAcquire(entry(consumed));
    return (int) (word >>> 32) == (int) (consumed + 1) ? word : 0;
  }

  /** Producer: completions that were added. */
  long added() {
    return produced;
  }

  /** Consumer: what is {@link #pending} now, from which {@link #mark} goes on. */
  int count() {
    // One look: what comes between two would be in the mark and not in the sum.
    int pending = pending();
    counted = consumed + pending;
    return pending;
  }

  /** Consumer: how many will have been added once {@code ahead} more than were counted are. */
  long mark(long ahead) {
    return counted + ahead;
  }

  /** Consumer: whether as many as {@code mark} were added, as far as they are seen. */
  boolean reached(long mark) {
    return consumed + pending() >= mark;
  }

  /** Consumer: completions that are there. */
  int pending() {
    int count = 0;
    while (count <= mask
        && (int) (area.getLongAcquire(entry(consumed + count)) >>> 32)
            == (int) (consumed + count + 1)) {
      count++;
    }
    return count;
  }

  static int status(long word) {
    return (int) word & 0xff;
  }

  static int opcode(long word) {
    return (int) (word >>> 8) & 0xff;
  }

  static int flags(long word) {
    return (int) (word >>> 16) & 0xff;
  }

  static int vendor(long word) {
    return (int) (word >>> 24) & 0xff;
  }

  /** Consumer: fields of the entry that {@link #peek} saw. */
  int byteLength() {
    return (int) (area.getLong(entry(consumed) + LENGTHS_OFFSET) >>> 32);
  }

  int immediate() {
    return (int) area.getLong(entry(consumed) + LENGTHS_OFFSET);
  }

  long request() {
    return area.getLong(entry(consumed) + REQUEST_OFFSET);
  }

  /** Consumer: goes on to the next entry. */
  void advance() {
    consumed++;
  }

  private long entry(long number) {
    return base + (number & mask) * ENTRY_SIZE;
  }
}
