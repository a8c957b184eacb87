// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.VerbsException;

/**
 * The file of one queue pair, mapped by its owner and, over shm, by its one peer. Host byte order
 * but for the send ring, whose entries are {@link WorkQueueEntryLayout}.
 *
 * <pre>
 *   0    magic:64                              written by the owner when made
 *   8    protection domain:32, receive CQ:32
 *   16   RECV ring depth:32, buffers a RECV:32
 *   24   send lane depth:32, send ring blocks:32
 *   32   RECVs are dealt by a shared receive queue:32, 0 or 1
 *   36   number of the queue pair:32
 *   64   RECVs posted:64                       owner's line
 *   72   marks of RECVs and completions:64     tell the owner when this many RECVs are done
 *   128  owner's state:64                      0 not connected, 1 connected, 2 error
 *   136  FLUSHes done:64, status of the latest:64
 *   192  peer's word:64                        0, or {@link BreakCode} once the peer broke
 *   200  FLUSHes asked for:64, and of the latest: address:64, length:64, key:32, whole region:32
 *   256  hazard slots, one a cache line:       0 regions and 1 queues for the peer's engine,
 *                                              2..12 its mapped readers, 13 the owner on errands
 *                                              for the peer, 14 the peer on errands for the owner,
 *                                              15 the owner's engine on its own buffers; behind
 *                                              13 and 14, {@link ErrandLayout}
 *   328  RECVs taken:64, RECV asked for:64     in slot 1's line: what the peer's engine took, and
 *                                              the number + 1 of the RECV that it misses
 *   1280 RECV ring, entries of 16 + 16 * buffers bytes:
 *          buffers:32, unused:96, then {address:64, length:32, key:32} each
 *   ...  receive lane, {@link CompletionLane} entries, produced by the peer
 *   ...  send lane, produced by the owner's engine
 *   ...  send ring, blocks of 64 bytes
 * </pre>
 *
 * What is read of a peer's area is checked against the file's size before use.
 */
final class QueuePairAreaLayout {
  static final long MAGIC = 0x5645_5242_5150_4131L;

  static final long MAGIC_OFFSET = 0;
  static final long DOMAIN_OFFSET = 8;
  static final long RECEIVE_CQ_OFFSET = 12;
  static final long RECEIVE_DEPTH_OFFSET = 16;
  static final long RECEIVE_BUFFERS_OFFSET = 20;
  static final long SEND_DEPTH_OFFSET = 24;
  static final long SEND_BLOCKS_OFFSET = 28;
  static final long SHARED_OFFSET = 32;
  static final long RECEIVES_POSTED_OFFSET = 64;
  static final long NUMBER_OFFSET = 36;
  static final long RECEIVE_MARK_OFFSET = 72;
  static final long COMPLETION_MARK_OFFSET = 80;
  static final long OWNER_STATE_OFFSET = 128;
  static final long PEER_WORD_OFFSET = 192;

  static final long FLUSHES_DONE_OFFSET = 136;
  static final long FLUSH_STATUS_OFFSET = 144;
  static final long FLUSHES_ASKED_OFFSET = 200;
  private static final long FLUSH_ADDRESS_OFFSET = 208;
  private static final long FLUSH_LENGTH_OFFSET = 216;
  private static final long FLUSH_KEY_OFFSET = 224;
  private static final long FLUSH_WHOLE_OFFSET = 228;

  static final long NOT_CONNECTED = 0;
  static final long CONNECTED = 1;
  static final long BROKEN = 2;

  static final long NO_MARK = Long.MAX_VALUE;

  static final int HAZARD_SLOTS = 16;
  static final int REGION_HAZARD = 0;
  static final int QUEUE_HAZARD = 1;
  static final int FIRST_MAPPED_HAZARD = 2;
  static final int ERRAND_HAZARD = 13;
  static final int BOUNCE_HAZARD = 14;
  static final int LOCAL_HAZARD = 15;
  private static final long HAZARDS = 256;
  private static final long HAZARD_STRIDE = 64;
  static final long RECEIVES_TAKEN_OFFSET = HAZARDS + QUEUE_HAZARD * HAZARD_STRIDE + 8;
  static final long RECEIVE_ASKED_OFFSET = RECEIVES_TAKEN_OFFSET + 8;

  private static final long RECEIVE_RING = HAZARDS + HAZARD_SLOTS * HAZARD_STRIDE;
  private static final long RECEIVE_HEADER = 16;
  private static final long BUFFER_SIZE = 16;
  static final long BUFFER_LENGTH_OFFSET = 8;
  static final long BUFFER_KEY_OFFSET = 12;

  static final int BLOCK = WorkQueueEntryLayout.BLOCK;

  private final int receiveDepth;
  private final int receiveBuffers;
  private final int sendDepth;
  private final int sendBlocks;

  private QueuePairAreaLayout(int receiveDepth, int receiveBuffers, int sendDepth, int sendBlocks) {
    this.receiveDepth = receiveDepth;
    this.receiveBuffers = receiveBuffers;
    this.sendDepth = sendDepth;
    this.sendBlocks = sendBlocks;
  }

  static QueuePairAreaLayout of(QueuePairAttributes attributes) {
    int sendDepth = powerOfTwo(attributes.maxSendRequests());
    SharedReceiveQueue shared = attributes.sharedReceiveQueue();
    return new QueuePairAreaLayout(
        powerOfTwo(attributes.maxReceiveRequests()),
        shared == null ? attributes.maxBuffers() : shared.attributes().maxBuffers(),
        sendDepth,
        sendDepth
            * powerOfTwo(
                WorkQueueEntryLayout.blocks(attributes.maxBuffers(), attributes.maxInline())));
  }

  /** Reads the layout that a peer's area declares, and checks it against the mapped size. */
  static QueuePairAreaLayout readFrom(MappedMemory area) {
    if (area.size() < RECEIVE_RING || area.getLong(MAGIC_OFFSET) != MAGIC) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL, "not a queue pair of this version: " + area);
    }
    QueuePairAreaLayout layout =
        new QueuePairAreaLayout(
            area.getInt(RECEIVE_DEPTH_OFFSET),
            area.getInt(RECEIVE_BUFFERS_OFFSET),
            area.getInt(SEND_DEPTH_OFFSET),
            area.getInt(SEND_BLOCKS_OFFSET));
    boolean sane =
        isDepth(layout.receiveDepth)
            && isDepth(layout.sendDepth)
            && isDepth(layout.sendBlocks)
            && layout.receiveBuffers > 0
            && layout.receiveBuffers <= SoftDevice.MAX_BUFFERS;
    if (!sane || layout.size() != area.size()) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL, "queue pair area with a wrong layout: " + area);
    }
    return layout;
  }

  void writeTo(MappedMemory area, int number, int domain, int receiveCq, boolean shared) {
    area.putInt(NUMBER_OFFSET, number);
    area.putInt(DOMAIN_OFFSET, domain);
    area.putInt(RECEIVE_CQ_OFFSET, receiveCq);
    area.putInt(RECEIVE_DEPTH_OFFSET, receiveDepth);
    area.putInt(RECEIVE_BUFFERS_OFFSET, receiveBuffers);
    area.putInt(SEND_DEPTH_OFFSET, sendDepth);
    area.putInt(SEND_BLOCKS_OFFSET, sendBlocks);
    area.putInt(SHARED_OFFSET, shared ? 1 : 0);
    area.putLong(RECEIVE_MARK_OFFSET, NO_MARK);
    area.putLong(COMPLETION_MARK_OFFSET, NO_MARK);
    area.putLongRelease(MAGIC_OFFSET, MAGIC);
  }

  private static boolean isDepth(int depth) {
    return depth > 0 && depth <= 1 << 22 && Integer.bitCount(depth) == 1;
  }

  private static int powerOfTwo(int atLeast) {
    return Integer.highestOneBit(Math.max(1, atLeast * 2 - 1));
  }

  /** Peer: leaves FLUSH {@code number} for the owner. */
  static void askFlush(MappedMemory area, long number, FlushOrder order) {
    area.putLong(FLUSH_ADDRESS_OFFSET, order.address());
    area.putLong(FLUSH_LENGTH_OFFSET, order.length());
    area.putInt(FLUSH_KEY_OFFSET, order.key());
    area.putInt(FLUSH_WHOLE_OFFSET, order.whole() ? 1 : 0);
    area.putLongRelease(FLUSHES_ASKED_OFFSET, number);
  }

  /** Owner: the FLUSH that the peer left. */
  static FlushOrder flushOrder(MappedMemory area, int domain) {
    return new FlushOrder(
        area.getInt(FLUSH_KEY_OFFSET),
        domain,
        area.getLong(FLUSH_ADDRESS_OFFSET),
        area.getLong(FLUSH_LENGTH_OFFSET),
        area.getInt(FLUSH_WHOLE_OFFSET) != 0);
  }

  static long hazard(int slot) {
    return HAZARDS + slot * HAZARD_STRIDE;
  }

  int receiveDepth() {
    return receiveDepth;
  }

  int receiveBuffers() {
    return receiveBuffers;
  }

  int sendDepth() {
    return sendDepth;
  }

  int sendBlocks() {
    return sendBlocks;
  }

  private long receiveStride() {
    return RECEIVE_HEADER + receiveBuffers * BUFFER_SIZE;
  }

  long receiveEntry(long number) {
    return RECEIVE_RING + (number & (receiveDepth - 1)) * receiveStride();
  }

  static long receiveBuffer(long entry, int buffer) {
    return entry + RECEIVE_HEADER + buffer * BUFFER_SIZE;
  }

  long receiveLane() {
    return align(RECEIVE_RING + receiveDepth * receiveStride());
  }

  long sendLane() {
    return receiveLane() + (long) receiveDepth * CompletionLane.ENTRY_SIZE;
  }

  private long sendRing() {
    return align(sendLane() + (long) sendDepth * CompletionLane.ENTRY_SIZE);
  }

  /** Offset of a block of the send ring by its running number. */
  long sendBlock(long number) {
    return sendRing() + (number & (sendBlocks - 1)) * BLOCK;
  }

  long size() {
    return sendRing() + (long) sendBlocks * BLOCK;
  }

  private static long align(long offset) {
    return (offset + BLOCK - 1) & -BLOCK;
  }
}
