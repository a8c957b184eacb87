// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * An errand in a queue pair's area: what a shm peer asks the area's owner to do on memory that only
 * the owner can reach. One at a time. Host byte order.
 *
 * <pre>
 *   asked, by the peer, behind hazard slot {@link QueuePairAreaLayout#BOUNCE_HAZARD}:
 *   0                               8               12
 *   +-------------------------------+---------------+---------------+
 *   |  number of the errand         |  opcode       |  length       |
 *   +---------------+---------------+---------------+---------------+ 16
 *   |  key          |  bounce key   |  address                      |
 *   +---------------+---------------+-------------------------------+ 32
 *   |  bounce address               |  swap or add                  |
 *   +-------------------------------+-------------------------------+ 48
 *   |  compare                      |
 *   +-------------------------------+ 56
 *
 *   answered, by the owner, behind hazard slot {@link QueuePairAreaLayout#ERRAND_HAZARD}:
 *   0                               8                               16
 *   +-------------------------------+-------------------------------+-------------------------------+
 *   |  number of the latest done    |  status                       |  what an atomic found         |
 *   +-------------------------------+-------------------------------+-------------------------------+
 * </pre>
 *
 * Opcodes are those of {@link WorkQueueEntryLayout}: WRITE and READ between the bounce buffer, a
 * region of the peer, and the owner's memory; SEND is a WRITE into the buffer of a RECV; the rest
 * are the operations on a qword. The numbers are stored last, with release.
 */
final class ErrandLayout {
  /** Bytes of the bounce buffer, and so of the longest errand. */
  static final int MAX_LENGTH = 1 << 18;

  private static final long BEHIND_HAZARD = 8;

  private static final long ASKED =
      QueuePairAreaLayout.hazard(QueuePairAreaLayout.BOUNCE_HAZARD) + BEHIND_HAZARD;
  static final long ASKED_OFFSET = ASKED;
  static final long OPCODE_OFFSET = ASKED + 8;
  static final long LENGTH_OFFSET = ASKED + 12;
  static final long KEY_OFFSET = ASKED + 16;
  static final long BOUNCE_KEY_OFFSET = ASKED + 20;
  static final long ADDRESS_OFFSET = ASKED + 24;
  static final long BOUNCE_ADDRESS_OFFSET = ASKED + 32;
  static final long SWAP_ADD_OFFSET = ASKED + 40;
  static final long COMPARE_OFFSET = ASKED + 48;

  private static final long DONE =
      QueuePairAreaLayout.hazard(QueuePairAreaLayout.ERRAND_HAZARD) + BEHIND_HAZARD;
  static final long DONE_OFFSET = DONE;
  static final long STATUS_OFFSET = DONE + 8;
  static final long FOUND_OFFSET = DONE + 16;

  private ErrandLayout() {}
}
