// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * The file "device" of a software NIC, mapped by its owner and by every shm peer. Host byte order.
 *
 * <pre>
 *   0                               8
 *   +-------------------------------+-------------------------------+
 *   |  magic                        |  version                      |
 *   +-------------------------------+-------------------------------+ 16
 *   |  incarnation, high            |  incarnation, low             |
 *   +-------------------------------+-------------------------------+ 64
 *   |  armed word of completion queue 0, one a cache line           |
 *   |  ...                                                          |
 *   +---------------------------------------------------------------+ KEY_TABLE
 *   |  {@link KeyTable} entries, 32 bytes each                      |
 *   +---------------------------------------------------------------+ SEGMENT_TABLE
 *   |  {@link SegmentEntryLayout} entries, 512 bytes each           |
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * An armed word is {@link #DISARMED}, {@link #ARMED_ANY} or {@link #ARMED_SOLICITED}; whoever adds
 * a completion that counts swaps it to DISARMED and then wakes the owner.
 */
final class DeviceAreaLayout {
  static final long MAGIC = 0x5645_5242_4e49_4331L;
  static final long VERSION = 1;

  static final long MAGIC_OFFSET = 0;
  static final long VERSION_OFFSET = 8;
  static final long INCARNATION_HIGH_OFFSET = 16;
  static final long INCARNATION_LOW_OFFSET = 24;

  static final int MAX_COMPLETION_QUEUES = 4096;
  private static final long ARMED_WORDS = 64;
  private static final long ARMED_STRIDE = 64;

  static final long KEY_TABLE = ARMED_WORDS + MAX_COMPLETION_QUEUES * ARMED_STRIDE;
  static final int MAX_REGIONS = 1 << 14;
  static final long KEY_STRIDE = 32;

  static final long SEGMENT_TABLE = KEY_TABLE + MAX_REGIONS * KEY_STRIDE;
  static final int MAX_SEGMENTS = 1024;

  static final long SIZE = SEGMENT_TABLE + MAX_SEGMENTS * SegmentEntryLayout.SIZE;

  static final long DISARMED = 0;
  static final long ARMED_ANY = 1;
  static final long ARMED_SOLICITED = 2;

  private DeviceAreaLayout() {}

  static long armedWord(int completionQueue) {
    return ARMED_WORDS + completionQueue * ARMED_STRIDE;
  }

  static long keyEntry(int slot) {
    return KEY_TABLE + slot * KEY_STRIDE;
  }

  static long segmentEntry(int segment) {
    return SEGMENT_TABLE + segment * SegmentEntryLayout.SIZE;
  }
}
