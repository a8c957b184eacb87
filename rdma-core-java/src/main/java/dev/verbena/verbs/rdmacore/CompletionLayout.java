// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * A completion as C gives it, {@code struct vb_completion}, in host byte order.
 *
 * <pre>
 *   0    id:64                     as it was posted, {@link CompletionId}
 *   8    status:32                 enum ibv_wc_status
 *   12   opcode:32                 enum ibv_wc_opcode; of successes only
 *   16   bytes:32, queue pair:32
 *   24   immediate:32              or the key that was invalidated
 *   28   flags:32                  1 immediate, 2 key invalidated
 *   32   vendor error:32, unused:32
 * </pre>
 */
final class CompletionLayout {
  static final int ID_OFFSET = 0;
  static final int STATUS_OFFSET = 8;
  static final int OPCODE_OFFSET = 12;
  static final int BYTES_OFFSET = 16;
  static final int QUEUE_PAIR_OFFSET = 20;
  static final int IMMEDIATE_OFFSET = 24;
  static final int FLAGS_OFFSET = 28;
  static final int VENDOR_ERROR_OFFSET = 32;
  static final int SIZE = 40;

  static final int HAS_IMMEDIATE = 1;
  static final int HAS_INVALIDATED_KEY = 2;

  private CompletionLayout() {}
}
