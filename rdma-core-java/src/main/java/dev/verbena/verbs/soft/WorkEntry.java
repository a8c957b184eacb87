// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A send queue entry copied out of the ring: what is checked here is what runs, whatever the ring
 * holds by then. Reused; one thread at a time.
 */
final class WorkEntry {
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(WorkQueueEntryLayout.MAX_BYTES);
  private final ByteBuffer found =
      ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
  private int blocks;
  private int opcode;
  private int flags;
  private int immediate;
  private long remoteAddress;
  private int remoteKey;
  private int firstData;
  private int dataCount;
  private boolean inline;
  private int inlineLength;
  private long total;
  private int cursor;
  private int cursorDone;

  /** Copies out and checks the entry that starts at {@code block}; false if it is malformed. */
  boolean load(MappedMemory area, QueuePairAreaLayout layout, long block, int queuePair) {
    area.get(layout.sendBlock(block), bytes, 0, WorkQueueEntryLayout.BLOCK);
    int first = bytes.getInt(WorkQueueEntryLayout.FIRST_WORD_OFFSET);
    int second = bytes.getInt(WorkQueueEntryLayout.SECOND_WORD_OFFSET);
    int segments = second & WorkQueueEntryLayout.SEGMENTS_MASK;
    int index = (first >>> WorkQueueEntryLayout.INDEX_SHIFT) & WorkQueueEntryLayout.INDEX_MASK;
    if (index != (block & WorkQueueEntryLayout.INDEX_MASK)
        || second >>> WorkQueueEntryLayout.QUEUE_PAIR_SHIFT != queuePair) {
      return false;
    }
    blocks = WorkQueueEntryLayout.blocksOf(segments * WorkQueueEntryLayout.SEGMENT);
    for (int i = 1; i < blocks; i++) {
      area.get(
          layout.sendBlock(block + i),
          bytes,
          i * WorkQueueEntryLayout.BLOCK,
          WorkQueueEntryLayout.BLOCK);
    }
    opcode = first & WorkQueueEntryLayout.OPCODE_MASK;
    flags = bytes.getInt(WorkQueueEntryLayout.FLAGS_OFFSET);
    immediate = bytes.getInt(WorkQueueEntryLayout.IMMEDIATE_OFFSET);
    return decode(segments);
  }

  private boolean decode(int segments) {
    int at = WorkQueueEntryLayout.SEGMENT;
    int end = segments * WorkQueueEntryLayout.SEGMENT;
    int fixed = fixedSegments();
    if (fixed == 0 || segments < fixed) {
      return false;
    }
    if (WorkQueueEntryLayout.hasRemote(opcode)) {
      remoteAddress = bytes.getLong(at + WorkQueueEntryLayout.REMOTE_ADDRESS_OFFSET);
      remoteKey = bytes.getInt(at + WorkQueueEntryLayout.REMOTE_KEY_OFFSET);
      at += WorkQueueEntryLayout.SEGMENT;
    }
    at = fixed * WorkQueueEntryLayout.SEGMENT;
    firstData = at;
    cursor = 0;
    cursorDone = 0;
    inline = at < end && bytes.getInt(at) < 0;
    if (inline) {
      dataCount = 1;
      inlineLength = bytes.getInt(at) & ~WorkQueueEntryLayout.INLINE;
      total = inlineLength;
      return !bringsData()
          && !hasOperands()
          && !isLocal()
          && inlineLength <= end - at - WorkQueueEntryLayout.INLINE_HEADER;
    }
    dataCount = (end - at) / WorkQueueEntryLayout.SEGMENT;
    total = 0;
    for (int i = 0; i < dataCount; i++) {
      int length = bytes.getInt(data(i) + WorkQueueEntryLayout.DATA_LENGTH_OFFSET);
      if (length < 0) {
        return false;
      }
      total += length;
    }
    return true;
  }

  /** Segments before the data; 0 if the opcode is not one of ours. */
  private int fixedSegments() {
    return switch (opcode) {
      case WorkQueueEntryLayout.SEND,
          WorkQueueEntryLayout.SEND_IMMEDIATE,
          WorkQueueEntryLayout.SEND_INVALIDATE,
          WorkQueueEntryLayout.LOCAL_INVALIDATE ->
          1;
      case WorkQueueEntryLayout.WRITE,
          WorkQueueEntryLayout.WRITE_IMMEDIATE,
          WorkQueueEntryLayout.READ ->
          2;
      case WorkQueueEntryLayout.UMR -> 1 + WorkQueueEntryLayout.BIND_SEGMENTS;
      case WorkQueueEntryLayout.COMPARE_AND_SWAP,
          WorkQueueEntryLayout.FETCH_AND_ADD,
          WorkQueueEntryLayout.FLUSH,
          WorkQueueEntryLayout.ATOMIC_WRITE ->
          3;
      default -> 0;
    };
  }

  private int data(int i) {
    return firstData + i * WorkQueueEntryLayout.SEGMENT;
  }

  /** Blocks that the entry takes in the ring. */
  int blocks() {
    return blocks;
  }

  int opcode() {
    return opcode;
  }

  boolean isSignaled() {
    return (flags & WorkQueueEntryLayout.COMPLETION) != 0;
  }

  boolean isSolicited() {
    return (flags & WorkQueueEntryLayout.SOLICITED) != 0;
  }

  boolean isFenced() {
    return (flags & WorkQueueEntryLayout.FENCE) != 0;
  }

  int immediate() {
    return immediate;
  }

  long remoteAddress() {
    return remoteAddress;
  }

  int remoteKey() {
    return remoteKey;
  }

  boolean isLocal() {
    return WorkQueueEntryLayout.isLocal(opcode);
  }

  boolean hasOperands() {
    return WorkQueueEntryLayout.hasOperands(opcode);
  }

  /** Whether its buffers hold as many bytes as its operation takes. */
  boolean hasRightLength() {
    if (hasOperands() || isLocal()) {
      return total == (isAtomic() ? Long.BYTES : 0);
    }
    return total <= SoftDevice.MAX_MESSAGE;
  }

  boolean isAtomic() {
    return WorkQueueEntryLayout.isAtomic(opcode);
  }

  /** Whether the answer goes into the entry's buffers. */
  boolean bringsData() {
    return WorkQueueEntryLayout.bringsData(opcode);
  }

  /** Bytes of all buffers together. */
  long total() {
    return total;
  }

  boolean isInline() {
    return inline;
  }

  /** The entry's own bytes, where inline data is. */
  ByteBuffer bytes() {
    return bytes;
  }

  /** Where in {@link #bytes} the next inline byte is. */
  int inlinePosition() {
    return firstData + WorkQueueEntryLayout.INLINE_HEADER + cursorDone;
  }

  /** Bytes up to {@code wanted} left in the current buffer; 0 after the last. */
  int run(long wanted) {
    while (cursor < dataCount && cursorDone == currentLength()) {
      cursor++;
      cursorDone = 0;
    }
    return cursor == dataCount ? 0 : (int) Math.min(wanted, currentLength() - cursorDone);
  }

  private int currentLength() {
    return inline
        ? inlineLength
        : bytes.getInt(data(cursor) + WorkQueueEntryLayout.DATA_LENGTH_OFFSET);
  }

  /** Opens the next {@code length} bytes of the current buffer; at most {@link #run}. */
  RegionAccess.Outcome open(RegionAccess local, int length, int access) {
    int at = data(cursor);
    return local.open(
        bytes.getInt(at + WorkQueueEntryLayout.DATA_KEY_OFFSET),
        bytes.getLong(at + WorkQueueEntryLayout.DATA_ADDRESS_OFFSET) + cursorDone,
        length,
        access);
  }

  void advance(int length) {
    cursorDone += length;
  }

  /** Goes back to the first byte. */
  private void rewind() {
    cursor = 0;
    cursorDone = 0;
  }

  /** Whether all buffers can be written now, so that an atomic does not run in vain. */
  boolean isWritable(RegionAccess local) {
    boolean open = true;
    for (int run = run(total); open && run > 0; run = run(total)) {
      open = open(local, run, KeyTable.LOCAL_WRITE) == RegionAccess.Outcome.OPEN;
      if (open) {
        local.close();
        advance(run);
      }
    }
    rewind();
    return open;
  }

  /** Puts {@code length} more bytes into the buffers; false if one can't be written. */
  boolean scatter(RegionAccess local, ByteBuffer source, int from, int length) {
    for (int copied = 0; copied < length; ) {
      int run = run(length - copied);
      if (open(local, run, KeyTable.LOCAL_WRITE) != RegionAccess.Outcome.OPEN) {
        return false;
      }
      local.memory().put(local.offset(), source, from + copied, run);
      local.close();
      advance(run);
      copied += run;
    }
    return true;
  }

  /** Puts what an atomic found into the buffers, in host byte order. */
  boolean scatterFound(RegionAccess local, long value) {
    found.putLong(0, value);
    return scatter(local, found, 0, Long.BYTES);
  }
}
