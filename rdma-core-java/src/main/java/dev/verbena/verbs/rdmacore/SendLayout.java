// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * A request of a send queue as C takes it, {@code struct vb_send}, in host byte order; batches
 * stand behind each other.
 *
 * <pre>
 *   0    id:64                     what the completion brings back
 *   8    remote address:64         of a bind: within the region
 *   16   operand:64                compare or add; bytes of a FLUSH or a bind
 *   24   second operand:64         swap; value of an ATOMIC_WRITE; access flags of a bind
 *   32   window:64                 handle, of a bind
 *   40   region:64                 handle, of a bind
 *   48   key:32                    remote; of a bind the new one; the one to invalidate
 *   52   immediate:32
 *   56   operation:8, flags:8      flags: 1 signaled, 2 fenced, 4 solicited, 8 inline
 *   58   flush type:8, flush level:8   as in struct ibv_qp_ex: 1 global, 2 persistent; 0 range, 1 region
 *   60   count:32                  of buffers; if inline, of bytes
 *   64   buffers, {@link BufferLayout}, or inline bytes up to a multiple of 8
 * </pre>
 */
final class SendLayout {
  static final int ID_OFFSET = 0;
  static final int REMOTE_ADDRESS_OFFSET = 8;
  static final int OPERAND_OFFSET = 16;
  static final int SECOND_OPERAND_OFFSET = 24;
  static final int WINDOW_OFFSET = 32;
  static final int REGION_OFFSET = 40;
  static final int KEY_OFFSET = 48;
  static final int IMMEDIATE_OFFSET = 52;
  static final int OPERATION_OFFSET = 56;
  static final int FLAGS_OFFSET = 57;
  static final int FLUSH_TYPE_OFFSET = 58;
  static final int FLUSH_LEVEL_OFFSET = 59;
  static final int COUNT_OFFSET = 60;
  static final int SIZE = 64;

  static final byte SEND = 0;
  static final byte SEND_WITH_IMMEDIATE = 1;
  static final byte WRITE = 2;
  static final byte WRITE_WITH_IMMEDIATE = 3;
  static final byte READ = 4;
  static final byte COMPARE_AND_SWAP = 5;
  static final byte FETCH_AND_ADD = 6;
  static final byte FLUSH = 7;
  static final byte ATOMIC_WRITE = 8;
  static final byte SEND_WITH_INVALIDATE = 9;
  static final byte BIND_WINDOW = 10;
  static final byte LOCAL_INVALIDATE = 11;

  static final int SIGNALED = 1;
  static final int FENCED = 2;
  static final int SOLICITED = 4;
  static final int INLINE = 8;

  static final int FLUSH_GLOBAL = 1;
  static final int FLUSH_PERSISTENT = 2;
  static final int FLUSH_RANGE = 0;
  static final int FLUSH_REGION = 1;

  private static final int INLINE_ALIGNMENT = 8;

  private SendLayout() {}

  /** Bytes of a request with that much inline data. */
  static int sizeInline(int bytes) {
    return SIZE + (bytes + INLINE_ALIGNMENT - 1) / INLINE_ALIGNMENT * INLINE_ALIGNMENT;
  }

  /** Bytes of a request with that many buffers. */
  static int sizeBuffers(int buffers) {
    return SIZE + buffers * BufferLayout.SIZE;
  }
}
