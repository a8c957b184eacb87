// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;

/**
 * The send ring and its counters. Posters (under the post claim) write entries and ring the
 * doorbell; the engine (under the run claim) executes; the poller (under the completion queue's
 * claim) retires. As with hardware, a request's place is free again only when its completion, or a
 * later one of this queue, was polled.
 */
final class SendQueue {
  private final MappedMemory area;
  private final QueuePairAreaLayout layout;
  private final QueuePairAttributes attributes;
  private final int queuePair;
  private final ByteBuffer scratch = ByteBuffer.allocateDirect(WorkQueueEntryLayout.MAX_BYTES);
  private final long[] requestIds;
  private final long[] firstBlocks;
  private final byte[] operations;
  private final int mask;

  private long written;
  private long nextBlock;
  private volatile long doorbell;
  private volatile long executed;
  private volatile long retired;

  SendQueue(
      MappedMemory area,
      QueuePairAreaLayout layout,
      QueuePairAttributes attributes,
      int queuePair) {
    this.area = area;
    this.layout = layout;
    this.attributes = attributes;
    this.queuePair = queuePair;
    this.requestIds = new long[layout.sendDepth()];
    this.firstBlocks = new long[layout.sendDepth()];
    this.operations = new byte[layout.sendDepth()];
    this.mask = layout.sendDepth() - 1;
  }

  /** Poster: checks a request against the limits. */
  void check(SendRequest request) {
    int data = request.inlineData() == null ? 0 : request.inlineLength();
    if (data > attributes.maxInline()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "inline data of " + data + " bytes, the queue pair takes " + attributes.maxInline());
    }
    if (request.bufferCount() > attributes.maxBuffers()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          request.bufferCount() + " buffers, the queue pair takes " + attributes.maxBuffers());
    }
    if (request.inlineData() != null && request.bufferCount() > 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "inline data and buffers in one request");
    }
    checkOperation(request, opcode(request.operation()));
  }

  private static void checkOperation(SendRequest request, int opcode) {
    boolean bringsData = WorkQueueEntryLayout.bringsData(opcode);
    boolean takesNoData =
        WorkQueueEntryLayout.hasOperands(opcode) || WorkQueueEntryLayout.isLocal(opcode);
    if (request.inlineData() != null && (bringsData || takesNoData)) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, request.operation() + " can't be inline");
    }
    if (takesNoData && bytes(request) != (bringsData ? Long.BYTES : 0)) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          request.operation() + " with " + bytes(request) + " bytes of buffers");
    }
    if (opcode == WorkQueueEntryLayout.UMR
        && (AccessBits.of(request.bindAccess()) & ~AccessBits.OF_A_WINDOW) != 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "a window can't allow " + request.bindAccess());
    }
    if (request.flushLength() < 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "FLUSH of " + request.flushLength() + " bytes");
    }
  }

  private static long bytes(SendRequest request) {
    long bytes = 0;
    for (int i = 0; i < request.bufferCount(); i++) {
      bytes += request.bufferLength(i);
    }
    return bytes;
  }

  /** Poster: writes an entry; false if the queue is full. */
  boolean write(SendRequest request) {
    if (written - retired >= attributes.maxSendRequests()) {
      return false;
    }
    int opcode = opcode(request.operation());
    int bytes = encode(request, opcode);
    int blocks = WorkQueueEntryLayout.blocksOf(bytes);
    for (int i = 0; i < blocks; i++) {
      area.put(
          layout.sendBlock(nextBlock + i),
          scratch,
          i * WorkQueueEntryLayout.BLOCK,
          WorkQueueEntryLayout.BLOCK);
    }
    int slot = (int) written & mask;
    requestIds[slot] = request.requestId();
    firstBlocks[slot] = nextBlock;
    operations[slot] = (byte) opcode;
    nextBlock += blocks;
    written++;
    return true;
  }

  private int encode(SendRequest request, int opcode) {
    int at = WorkQueueEntryLayout.SEGMENT;
    if (WorkQueueEntryLayout.hasRemote(opcode)) {
      scratch.putLong(at + WorkQueueEntryLayout.REMOTE_ADDRESS_OFFSET, request.remoteAddress());
      scratch.putInt(at + WorkQueueEntryLayout.REMOTE_KEY_OFFSET, request.remoteKey());
      at += WorkQueueEntryLayout.SEGMENT;
    }
    if (WorkQueueEntryLayout.hasOperands(opcode)) {
      encodeOperands(request, opcode, at);
      at += WorkQueueEntryLayout.SEGMENT;
    }
    if (opcode == WorkQueueEntryLayout.UMR) {
      scratch.putLong(WorkQueueEntryLayout.BIND_ADDRESS_OFFSET, request.remoteAddress());
      scratch.putLong(WorkQueueEntryLayout.BIND_LENGTH_OFFSET, request.bindLength());
      scratch.putInt(WorkQueueEntryLayout.BIND_REGION_OFFSET, request.remoteKey());
      scratch.putInt(WorkQueueEntryLayout.BIND_ACCESS_OFFSET, AccessBits.of(request.bindAccess()));
      at += WorkQueueEntryLayout.BIND_SEGMENTS * WorkQueueEntryLayout.SEGMENT;
    }
    if (request.inlineData() != null) {
      int length = request.inlineLength();
      scratch.putInt(at, WorkQueueEntryLayout.INLINE | length);
      scratch.put(
          at + WorkQueueEntryLayout.INLINE_HEADER,
          request.inlineData(),
          request.inlineOffset(),
          length);
      at += WorkQueueEntryLayout.inlineBytes(length);
    } else {
      for (int i = 0; i < request.bufferCount(); i++) {
        scratch.putInt(at + WorkQueueEntryLayout.DATA_LENGTH_OFFSET, request.bufferLength(i));
        scratch.putInt(at + WorkQueueEntryLayout.DATA_KEY_OFFSET, request.bufferKey(i));
        scratch.putLong(at + WorkQueueEntryLayout.DATA_ADDRESS_OFFSET, request.bufferAddress(i));
        at += WorkQueueEntryLayout.SEGMENT;
      }
    }
    int index = (int) nextBlock & WorkQueueEntryLayout.INDEX_MASK;
    scratch.putInt(
        WorkQueueEntryLayout.FIRST_WORD_OFFSET,
        (index << WorkQueueEntryLayout.INDEX_SHIFT) | opcode);
    scratch.putInt(
        WorkQueueEntryLayout.SECOND_WORD_OFFSET,
        (queuePair << WorkQueueEntryLayout.QUEUE_PAIR_SHIFT) | (at / WorkQueueEntryLayout.SEGMENT));
    int flags =
        (request.isSignaled() ? WorkQueueEntryLayout.COMPLETION : 0)
            | (request.isFenced() ? WorkQueueEntryLayout.FENCE : 0)
            | (request.isSolicited() ? WorkQueueEntryLayout.SOLICITED : 0);
    scratch.putInt(WorkQueueEntryLayout.FLAGS_OFFSET, flags);
    boolean namesKey =
        opcode == WorkQueueEntryLayout.SEND_INVALIDATE || WorkQueueEntryLayout.isLocal(opcode);
    scratch.putInt(
        WorkQueueEntryLayout.IMMEDIATE_OFFSET,
        namesKey ? request.windowKey() : request.immediate());
    return at;
  }

  private void encodeOperands(SendRequest request, int opcode, int at) {
    if (opcode == WorkQueueEntryLayout.FLUSH) {
      boolean persistent = request.flushType() == FlushType.PERSISTENT;
      boolean whole = request.flushLevel() == FlushLevel.REGION;
      scratch.putInt(
          at + WorkQueueEntryLayout.FLUSH_TYPE_OFFSET,
          persistent ? WorkQueueEntryLayout.FLUSH_PERSISTENT : WorkQueueEntryLayout.FLUSH_GLOBAL);
      scratch.putInt(
          at + WorkQueueEntryLayout.FLUSH_LEVEL_OFFSET,
          whole ? WorkQueueEntryLayout.FLUSH_REGION : WorkQueueEntryLayout.FLUSH_RANGE);
      scratch.putLong(at + WorkQueueEntryLayout.FLUSH_LENGTH_OFFSET, request.flushLength());
      return;
    }
    boolean isAdd = opcode == WorkQueueEntryLayout.FETCH_AND_ADD;
    scratch.putLong(
        at + WorkQueueEntryLayout.SWAP_ADD_OFFSET, isAdd ? request.compareAdd() : request.swap());
    scratch.putLong(at + WorkQueueEntryLayout.COMPARE_OFFSET, isAdd ? 0 : request.compareAdd());
  }

  private static int opcode(SendRequest.Operation operation) {
    return switch (operation) {
      case SEND -> WorkQueueEntryLayout.SEND;
      case SEND_WITH_IMMEDIATE -> WorkQueueEntryLayout.SEND_IMMEDIATE;
      case WRITE -> WorkQueueEntryLayout.WRITE;
      case WRITE_WITH_IMMEDIATE -> WorkQueueEntryLayout.WRITE_IMMEDIATE;
      case READ -> WorkQueueEntryLayout.READ;
      case COMPARE_AND_SWAP -> WorkQueueEntryLayout.COMPARE_AND_SWAP;
      case FETCH_AND_ADD -> WorkQueueEntryLayout.FETCH_AND_ADD;
      case FLUSH -> WorkQueueEntryLayout.FLUSH;
      case ATOMIC_WRITE -> WorkQueueEntryLayout.ATOMIC_WRITE;
      case SEND_WITH_INVALIDATE -> WorkQueueEntryLayout.SEND_INVALIDATE;
      case BIND_WINDOW -> WorkQueueEntryLayout.UMR;
      case LOCAL_INVALIDATE -> WorkQueueEntryLayout.LOCAL_INVALIDATE;
    };
  }

  /** Poster: makes what was written visible to the engine. */
  void ring() {
    doorbell = written;
  }

  /** Requests that the engine may run: numbers below this. */
  long doorbell() {
    return doorbell;
  }

  /** Engine: number of the next request to complete. */
  long executed() {
    return executed;
  }

  boolean hasWork() {
    return executed < doorbell;
  }

  /** Engine: copies entry {@code number} out; false if it is malformed. */
  boolean load(long number, WorkEntry entry) {
    return entry.load(area, layout, firstBlocks[(int) number & mask], queuePair);
  }

  /** Engine: the request {@code executed} is done. */
  void markExecuted() {
    long done = executed + 1;
    executed = done;
  }

  /** Poller: everything up to and with {@code number} is out of the queue. */
  void retireThrough(long number) {
    retired = number + 1;
  }

  /** Poller: the first request that can still be flushed. */
  long firstUnfinished() {
    return Math.max(executed, retired);
  }

  long requestId(long number) {
    return requestIds[(int) number & mask];
  }

  /** The mlx5 opcode that the request was posted with. */
  int operation(long number) {
    return operations[(int) number & mask];
  }
}
