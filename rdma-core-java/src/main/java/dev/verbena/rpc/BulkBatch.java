// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.MemoryRegion;
import java.util.Arrays;
import java.util.Objects;

/**
 * One-sided transfers to be posted together. Grows as needed and is made to be re-used: clear, add,
 * submit, clear again after the callback. Not thread-safe. A transfer longer than the device's
 * longest message is cut in pieces when it is posted.
 */
public final class BulkBatch {
  private int count;
  private boolean[] reads;
  private long[] localAddresses;
  private int[] localKeys;
  private long[] remoteAddresses;
  private int[] remoteKeys;
  private long[] lengths;
  private RegisteredBuffer[] held;
  private int heldCount;
  private long totalBytes;
  private boolean submitted;
  private final BulkOperation operation = new BulkOperation(this);
  private final BatchWait wait = new BatchWait();

  /** Creates a batch with room for {@code capacity} transfers to begin with. */
  public BulkBatch(int capacity) {
    int room = Math.max(1, capacity);
    reads = new boolean[room];
    localAddresses = new long[room];
    localKeys = new int[room];
    remoteAddresses = new long[room];
    remoteKeys = new int[room];
    lengths = new long[room];
    held = new RegisteredBuffer[room];
  }

  /**
   * Adds a READ of the peer's memory into {@code target}, which is kept from release until the
   * batch is done.
   */
  public BulkBatch read(
      RegisteredBuffer target, long targetOffset, long remoteAddress, int remoteKey, long length) {
    Objects.checkFromIndexSize(targetOffset, length, target.length());
    hold(target);
    return add(
        true, target.address() + targetOffset, target.localKey(), remoteAddress, remoteKey, length);
  }

  /** Adds a READ into a region that the caller keeps registered until the batch is done. */
  public BulkBatch read(
      MemoryRegion target, long targetOffset, long remoteAddress, int remoteKey, long length) {
    Objects.checkFromIndexSize(targetOffset, length, target.length());
    return add(
        true, target.address() + targetOffset, target.localKey(), remoteAddress, remoteKey, length);
  }

  /** Adds a WRITE of {@code source}, which is kept from release until the batch is done. */
  public BulkBatch write(
      RegisteredBuffer source, long sourceOffset, long remoteAddress, int remoteKey, long length) {
    Objects.checkFromIndexSize(sourceOffset, length, source.length());
    hold(source);
    return add(
        false,
        source.address() + sourceOffset,
        source.localKey(),
        remoteAddress,
        remoteKey,
        length);
  }

  /** Adds a WRITE from a region that the caller keeps registered until the batch is done. */
  public BulkBatch write(
      MemoryRegion source, long sourceOffset, long remoteAddress, int remoteKey, long length) {
    Objects.checkFromIndexSize(sourceOffset, length, source.length());
    return add(
        false,
        source.address() + sourceOffset,
        source.localKey(),
        remoteAddress,
        remoteKey,
        length);
  }

  /**
   * Empties the batch.
   *
   * @throws IllegalStateException while it is submitted and not done
   */
  public BulkBatch clear() {
    checkIdle();
    releaseHeld();
    count = 0;
    totalBytes = 0;
    return this;
  }

  /** Transfers in it. */
  public int count() {
    return count;
  }

  /** Bytes of all its transfers. */
  public long totalBytes() {
    return totalBytes;
  }

  private BulkBatch add(
      boolean read, long local, int localKey, long remote, int remoteKey, long length) {
    checkIdle();
    if (count == lengths.length) {
      grow();
    }
    reads[count] = read;
    localAddresses[count] = local;
    localKeys[count] = localKey;
    remoteAddresses[count] = remote;
    remoteKeys[count] = remoteKey;
    lengths[count] = length;
    totalBytes += length;
    count++;
    return this;
  }

  private void grow() {
    int room = count * 2;
    reads = Arrays.copyOf(reads, room);
    localAddresses = Arrays.copyOf(localAddresses, room);
    localKeys = Arrays.copyOf(localKeys, room);
    remoteAddresses = Arrays.copyOf(remoteAddresses, room);
    remoteKeys = Arrays.copyOf(remoteKeys, room);
    lengths = Arrays.copyOf(lengths, room);
  }

  private void hold(RegisteredBuffer buffer) {
    checkIdle();
    if (heldCount > 0 && held[heldCount - 1] == buffer) {
      return;
    }
    buffer.retain();
    if (heldCount == held.length) {
      held = Arrays.copyOf(held, heldCount * 2);
    }
    held[heldCount++] = buffer;
  }

  private void releaseHeld() {
    for (int i = 0; i < heldCount; i++) {
      held[i].close();
      held[i] = null;
    }
    heldCount = 0;
  }

  private void checkIdle() {
    if (submitted) {
      throw new IllegalStateException("the batch is submitted and not done yet");
    }
  }

  void submitted() {
    checkIdle();
    submitted = true;
  }

  /** Its transfers are done, or can't touch memory any more: lets the buffers go. */
  void done() {
    submitted = false;
    releaseHeld();
  }

  BulkOperation operation() {
    return operation;
  }

  BatchWait batchWait() {
    return wait;
  }

  boolean isRead(int i) {
    return reads[i];
  }

  long localAddress(int i) {
    return localAddresses[i];
  }

  int localKey(int i) {
    return localKeys[i];
  }

  long remoteAddress(int i) {
    return remoteAddresses[i];
  }

  int remoteKey(int i) {
    return remoteKeys[i];
  }

  long length(int i) {
    return lengths[i];
  }
}
