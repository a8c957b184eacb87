// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * A send queue entry in the layout of mlx5 (rdma-core, providers/mlx5/mlx5dv.h), since chains
 * rewrite entries: 1 to 16 blocks of 64 bytes, made of 16-byte segments, big-endian.
 *
 * <pre>
 *   control   be32 opmod:8 | index:16 | opcode:8
 *             be32 queue pair:24 | 0:2 | segments in the entry:6
 *             u8 signature, 0, 0, u8 fence:3 | 0 | completion:1 (0x08) | 0 | solicited (0x02)
 *             be32 immediate, or the key to invalidate, or the key to bind a window under
 *   raddr     be64 address; be32 key; be32 0             WRITE, READ, atomics, FLUSH
 *   atomic    be64 swap or add; be64 compare             COMPARE_AND_SWAP, FETCH_AND_ADD, and
 *                                                        ATOMIC_WRITE with its value as swap
 *   flush     be32 type; be32 level; be64 length         FLUSH
 *   bind      be64 address; be64 length;                 UMR
 *             be32 region's key; be32 access (as in KeyTable); be64 0
 *   data      be32 length; be32 key; be64 address        any number
 *   inline    be32 0x80000000 | length; then the bytes, padded to 16
 * </pre>
 *
 * LOCAL_INVALIDATE is a control segment alone. The bind segment is ours: mlx5's UMR describes a
 * whole memory key. FLUSH and ATOMIC_WRITE are private codes, since mlx5 has neither. A flush type
 * is 1 for GLOBAL, 2 for PERSISTENT, a level 0 for RANGE, 1 for REGION, as in ibv_wr_flush(3).
 *
 * <p>The index is the running number of the entry's first block, modulo 2^16.
 */
final class WorkQueueEntryLayout {
  static final int BLOCK = 64;
  static final int SEGMENT = 16;
  static final int MAX_SEGMENTS = 63;
  static final int MAX_BYTES = 16 * BLOCK;

  static final int SEND_INVALIDATE = 0x01;
  static final int WRITE = 0x08;
  static final int WRITE_IMMEDIATE = 0x09;
  static final int SEND = 0x0a;
  static final int SEND_IMMEDIATE = 0x0b;
  static final int READ = 0x10;
  static final int COMPARE_AND_SWAP = 0x11;
  static final int FETCH_AND_ADD = 0x12;
  static final int LOCAL_INVALIDATE = 0x1b;
  static final int UMR = 0x25;
  static final int FLUSH = 0x60;
  static final int ATOMIC_WRITE = 0x61;

  static final int OPCODE_MASK = 0xff;
  static final int INDEX_SHIFT = 8;
  static final int INDEX_MASK = 0xffff;
  static final int QUEUE_PAIR_SHIFT = 8;
  static final int SEGMENTS_MASK = 0x3f;

  static final int FENCE = 4 << 5;
  static final int COMPLETION = 0x08;
  static final int SOLICITED = 0x02;

  static final int FIRST_WORD_OFFSET = 0;
  static final int SECOND_WORD_OFFSET = 4;
  static final int FLAGS_OFFSET = 8;
  static final int IMMEDIATE_OFFSET = 12;

  static final int REMOTE_ADDRESS_OFFSET = 0;
  static final int REMOTE_KEY_OFFSET = 8;

  static final int SWAP_ADD_OFFSET = 0;
  static final int COMPARE_OFFSET = 8;

  static final int BIND_ADDRESS_OFFSET = SEGMENT;
  static final int BIND_LENGTH_OFFSET = SEGMENT + 8;
  static final int BIND_REGION_OFFSET = 2 * SEGMENT;
  static final int BIND_ACCESS_OFFSET = 2 * SEGMENT + 4;
  static final int BIND_SEGMENTS = 2;

  static final int FLUSH_TYPE_OFFSET = 0;
  static final int FLUSH_LEVEL_OFFSET = 4;
  static final int FLUSH_LENGTH_OFFSET = 8;
  static final int FLUSH_GLOBAL = 1;
  static final int FLUSH_PERSISTENT = 2;
  static final int FLUSH_RANGE = 0;
  static final int FLUSH_REGION = 1;

  /** Where the operands of atomics and FLUSH begin in their entry. */
  static final int OPERANDS = 2 * SEGMENT;

  static final int DATA_LENGTH_OFFSET = 0;
  static final int DATA_KEY_OFFSET = 4;
  static final int DATA_ADDRESS_OFFSET = 8;
  static final int INLINE = 0x8000_0000;
  static final int INLINE_HEADER = 4;

  private WorkQueueEntryLayout() {}

  /** Blocks that the longest entry with these limits takes. */
  static int blocks(int maxBuffers, int maxInline) {
    int atomic = 3 * SEGMENT + maxBuffers * SEGMENT;
    return blocksOf(Math.max(atomic, 2 * SEGMENT + inlineBytes(maxInline)));
  }

  static int blocksOf(int bytes) {
    return (bytes + BLOCK - 1) / BLOCK;
  }

  /** Bytes that inline data takes in an entry, with its header and padding. */
  static int inlineBytes(int length) {
    return (INLINE_HEADER + length + SEGMENT - 1) & -SEGMENT;
  }

  static boolean hasRemote(int opcode) {
    return opcode == WRITE || opcode == WRITE_IMMEDIATE || opcode == READ || hasOperands(opcode);
  }

  /** Whether a segment of operands follows the remote address. */
  static boolean hasOperands(int opcode) {
    return isAtomic(opcode) || opcode == FLUSH || opcode == ATOMIC_WRITE;
  }

  /** Whether it concerns this end's windows and nothing goes to the peer. */
  static boolean isLocal(int opcode) {
    return opcode == UMR || opcode == LOCAL_INVALIDATE;
  }

  static boolean isAtomic(int opcode) {
    return opcode == COMPARE_AND_SWAP || opcode == FETCH_AND_ADD;
  }

  /** Whether the answer goes into the entry's buffers. */
  static boolean bringsData(int opcode) {
    return opcode == READ || isAtomic(opcode);
  }
}
