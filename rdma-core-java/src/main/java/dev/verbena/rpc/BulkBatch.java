// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.MemoryWindow;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;

/**
 * One-sided transfers to be posted together, in their order. Grows as needed and is made to be
 * re-used: clear, add, submit, clear again after the callback. Not thread-safe. A transfer longer
 * than the device's longest message is cut in pieces when it is posted.
 *
 * <p>A durable append is one batch: WRITEs, FLUSH, publish, FLUSH.
 */
public final class BulkBatch {
  /** What a step does. */
  enum Kind {
    READ,
    WRITE,
    FLUSH,
    PUBLISH,
    BIND
  }

  /** The rest of a bind, which is rare. */
  record Bind(MemoryWindow window, MemoryRegion region, Set<AccessFlag> access) {}

  private int count;
  private Kind[] kinds;
  private long[] localAddresses;
  private int[] localKeys;
  private long[] remoteAddresses;
  private int[] remoteKeys;
  private long[] lengths;

  /** What is published. */
  private long[] words;

  private Bind[] binds;
  private RegisteredBuffer[] held;
  private int heldCount;
  private int steps;

  /** Index of its first READ; above every index if there is none. */
  private int firstRead = Integer.MAX_VALUE;

  private long totalBytes;
  private boolean submitted;
  private final BulkOperation operation = new BulkOperation(this);
  private final BatchWait wait = new BatchWait();

  /** Creates a batch with room for {@code capacity} transfers to begin with. */
  public BulkBatch(int capacity) {
    int room = Math.max(1, capacity);
    kinds = new Kind[room];
    localAddresses = new long[room];
    localKeys = new int[room];
    remoteAddresses = new long[room];
    remoteKeys = new int[room];
    lengths = new long[room];
    words = new long[room];
    binds = new Bind[room];
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
    return transfer(
        Kind.READ,
        target.address() + targetOffset,
        target.localKey(),
        remoteAddress,
        remoteKey,
        length);
  }

  /** Adds a READ into a region that the caller keeps registered until the batch is done. */
  public BulkBatch read(
      MemoryRegion target, long targetOffset, long remoteAddress, int remoteKey, long length) {
    Objects.checkFromIndexSize(targetOffset, length, target.length());
    return transfer(
        Kind.READ,
        target.address() + targetOffset,
        target.localKey(),
        remoteAddress,
        remoteKey,
        length);
  }

  /** Adds a WRITE of {@code source}, which is kept from release until the batch is done. */
  public BulkBatch write(
      RegisteredBuffer source, long sourceOffset, long remoteAddress, int remoteKey, long length) {
    Objects.checkFromIndexSize(sourceOffset, length, source.length());
    hold(source);
    return transfer(
        Kind.WRITE,
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
    return transfer(
        Kind.WRITE,
        source.address() + sourceOffset,
        source.localKey(),
        remoteAddress,
        remoteKey,
        length);
  }

  /**
   * Adds a FLUSH: what the WRITEs before it brought to that range of the peer's memory is made
   * durable to the domain of the memory before later steps begin. The device must have
   * FLUSH_PERSISTENT, and the key must allow it.
   */
  public BulkBatch flush(long remoteAddress, int remoteKey, long length) {
    return add(Kind.FLUSH, 0, 0, remoteAddress, remoteKey, length);
  }

  /**
   * Adds the store of a qword, in host byte order, whole and after all steps before it: an
   * ATOMIC_WRITE, or an inline fenced WRITE where the device has none.
   *
   * @param remoteAddress a multiple of 8
   */
  public BulkBatch publish(long remoteAddress, int remoteKey, long value) {
    add(Kind.PUBLISH, 0, 0, remoteAddress, remoteKey, Long.BYTES);
    words[count - 1] = value;
    return this;
  }

  /**
   * Adds a bind of {@code window}, under its {@link MemoryWindow#remoteKey}, to a range of this
   * end's memory: once the batch is done, the peer of this channel, and nobody else, may use it.
   *
   * @param offset first byte within {@code region}
   */
  public BulkBatch bind(
      MemoryWindow window, MemoryRegion region, long offset, long length, Set<AccessFlag> access) {
    Objects.checkFromIndexSize(offset, length, region.length());
    add(Kind.BIND, 0, 0, region.address() + offset, 0, length);
    binds[count - 1] = new Bind(window, region, access);
    return this;
  }

  /**
   * Empties the batch.
   *
   * @throws IllegalStateException while it is submitted and not done
   */
  public BulkBatch clear() {
    checkIdle();
    releaseHeld();
    Arrays.fill(binds, 0, count, null);
    count = 0;
    steps = 0;
    firstRead = Integer.MAX_VALUE;
    totalBytes = 0;
    return this;
  }

  /** Steps in it. */
  public int count() {
    return count;
  }

  /** Bytes of its READs and WRITEs. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Whether it has nothing to do: no step, or transfers of no bytes only. */
  boolean isEmpty() {
    return steps == 0;
  }

  private BulkBatch transfer(
      Kind kind, long local, int localKey, long remote, int remoteKey, long length) {
    add(kind, local, localKey, remote, remoteKey, length);
    totalBytes += length;
    return this;
  }

  private BulkBatch add(
      Kind kind, long local, int localKey, long remote, int remoteKey, long length) {
    checkIdle();
    if (count == lengths.length) {
      grow();
    }
    kinds[count] = kind;
    localAddresses[count] = local;
    localKeys[count] = localKey;
    remoteAddresses[count] = remote;
    remoteKeys[count] = remoteKey;
    lengths[count] = length;
    steps += length == 0 ? 0 : 1;
    if (kind == Kind.READ) {
      firstRead = Math.min(firstRead, count);
    }
    count++;
    return this;
  }

  private void grow() {
    int room = count * 2;
    kinds = Arrays.copyOf(kinds, room);
    words = Arrays.copyOf(words, room);
    binds = Arrays.copyOf(binds, room);
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

  Kind kind(int i) {
    return kinds[i];
  }

  /** Whether a READ comes before the step, which may overtake it unless it is fenced. */
  boolean isBehindRead(int i) {
    return firstRead < i;
  }

  long word(int i) {
    return words[i];
  }

  Bind bind(int i) {
    return binds[i];
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
