// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Serialized records of one map task, kept by partition, in pages that are asked of Spark's memory
 * manager. A partition is a chain of chunks that double in size, so that a thousand partitions of a
 * few records take little, and large ones end in chunks of {@link #LARGEST_CHUNK}, which a
 * compressor takes in place.
 *
 * <p>Used by the task's own thread. Spark may ask for memory back between two records; then, as
 * when the budget is used up, everything is flushed through the {@link Flusher}.
 */
final class PartitionBuffers extends MemoryConsumer {
  /** Bytes of the chunks of a large partition. */
  static final int LARGEST_CHUNK = 32 << 10;

  private static final int SMALLEST_CHUNK = 256;
  private static final int PAGE_SHIFT = 18;
  private static final int PAGE_SIZE = 1 << PAGE_SHIFT;
  private static final int PAGE_MASK = PAGE_SIZE - 1;
  private static final int NONE = -1;
  private static final long LARGEST_BUDGET = 1L << 30;

  /** Writes out all partitions; called between records. */
  @FunctionalInterface
  interface Flusher {
    void flush() throws IOException;
  }

  private final Flusher flusher;
  private final Thread owner = Thread.currentThread();
  private final int pagesOfBudget;
  private final List<byte[]> pages = new ArrayList<>();
  private final Deque<byte[]> spare = new ArrayDeque<>();

  private final int[] head;
  private final int[] tail;
  private final int[] position;
  private final int[] end;
  private final long[] lengths;
  private ChunkTable chunks = new ChunkTable();
  private int pagePosition = PAGE_SIZE;
  private long held;
  private long peak;
  private boolean busy;

  PartitionBuffers(TaskMemoryManager memory, int partitions, long budget, Flusher flusher) {
    super(memory, PAGE_SIZE, MemoryMode.ON_HEAP);
    this.flusher = flusher;
    this.pagesOfBudget = (int) Math.max(1, Math.min(budget, LARGEST_BUDGET) >> PAGE_SHIFT);
    head = new int[partitions];
    tail = new int[partitions];
    position = new int[partitions];
    end = new int[partitions];
    lengths = new long[partitions];
    clear();
  }

  /** Adds a record to a partition; may flush what was there before. */
  void insert(int partition, byte[] record, int length) throws IOException {
    ensureRoom(length);
    busy = true;
    int done = 0;
    while (done < length) {
      int room = end[partition] - position[partition];
      if (room == 0) {
        addChunk(partition);
        room = end[partition] - position[partition];
      }
      int run = Math.min(room, length - done);
      int at = position[partition];
      System.arraycopy(record, done, pages.get(at >>> PAGE_SHIFT), at & PAGE_MASK, run);
      position[partition] = at + run;
      done += run;
    }
    lengths[partition] += length;
    held += length;
    busy = false;
  }

  /** Bytes held for a partition. */
  long length(int partition) {
    return lengths[partition];
  }

  /** Bytes held for all partitions. */
  long held() {
    return held;
  }

  /** Most memory that was taken from Spark at one time, in bytes. */
  long peak() {
    return peak;
  }

  /** Hands out a partition's bytes, in order. */
  void drain(int partition, PieceSink sink) throws IOException {
    for (int chunk = head[partition]; chunk != NONE; chunk = chunks.next(chunk)) {
      int start = chunks.start(chunk);
      int stop = chunk == tail[partition] ? position[partition] : start + chunks.size(chunk);
      if (stop != start) {
        sink.put(pages.get(start >>> PAGE_SHIFT), start & PAGE_MASK, stop - start);
      }
    }
  }

  /** Gives all memory back. */
  void free() {
    clear();
    spare.clear();
    freeMemory(getUsed());
  }

  @Override
  public long spill(long size, MemoryConsumer trigger) throws IOException {
    // From another thread, or inside a record or a flush, the chains may not be touched.
    if (Thread.currentThread() != owner || busy || getUsed() == 0) {
      return 0;
    }
    // Empty pages that wait for a record of our own are no help to ourselves.
    if (trigger == this && held == 0) {
      return 0;
    }
    long before = getUsed();
    flush();
    free();
    return before;
  }

  private void flush() throws IOException {
    if (held == 0) {
      return;
    }
    busy = true;
    flusher.flush();
    busy = false;
    clear();
  }

  private void clear() {
    spare.addAll(pages);
    pages.clear();
    pagePosition = PAGE_SIZE;
    Arrays.fill(head, NONE);
    Arrays.fill(tail, NONE);
    Arrays.fill(position, 0);
    Arrays.fill(end, 0);
    Arrays.fill(lengths, 0);
    chunks = new ChunkTable();
    held = 0;
  }

  /** After it, a record of that length can be stored without asking for memory. */
  private void ensureRoom(int length) throws IOException {
    // One chunk's worth may be lost at the end of a page, another in the record's last chunk.
    long needed = (long) length + 2 * LARGEST_CHUNK;
    if (pages.size() + pagesFor(needed) > pagesOfBudget && room() < needed) {
      flush();
    }
    while (room() < needed) {
      long got = acquireMemory(PAGE_SIZE);
      if (got < PAGE_SIZE) {
        freeMemory(got);
        if (held == 0) {
          throw new SparkOutOfMemoryError(
              "UNABLE_TO_ACQUIRE_MEMORY",
              Map.of("requestedBytes", Long.toString(needed), "receivedBytes", Long.toString(got)));
        }
        flush();
      } else {
        spare.add(new byte[PAGE_SIZE]);
        peak = Math.max(peak, getUsed());
      }
    }
  }

  /** What chunks can still be cut from; the rest of a page may be too small for the next one. */
  private long room() {
    return (long) spare.size() * (PAGE_SIZE - LARGEST_CHUNK) + (PAGE_SIZE - pagePosition);
  }

  private static long pagesFor(long bytes) {
    return (bytes + PAGE_SIZE - LARGEST_CHUNK - 1) / (PAGE_SIZE - LARGEST_CHUNK);
  }

  private void addChunk(int partition) {
    int last = tail[partition];
    int size = last == NONE ? SMALLEST_CHUNK : Math.min(LARGEST_CHUNK, chunks.size(last) * 2);
    if (PAGE_SIZE - pagePosition < size) {
      pages.add(spare.remove());
      pagePosition = 0;
    }
    int start = ((pages.size() - 1) << PAGE_SHIFT) + pagePosition;
    pagePosition += size;
    int chunk = chunks.add(start, size);
    if (last == NONE) {
      head[partition] = chunk;
    } else {
      chunks.link(last, chunk);
    }
    tail[partition] = chunk;
    position[partition] = start;
    end[partition] = start + size;
  }
}
