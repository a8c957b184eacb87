// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** A registered range: an entry of the device's key table. */
final class SoftMemoryRegion implements MemoryRegion {
  private static final Duration REVOKE_DEADLINE = Duration.ofSeconds(5);

  private final SoftProtectionDomain domain;
  private final MappedMemory memory;
  private final long offset;
  private final long length;
  private final int segment;
  private final int key;
  private final AtomicBoolean closed = new AtomicBoolean();

  SoftMemoryRegion(
      SoftProtectionDomain domain,
      MappedMemory memory,
      long offset,
      long length,
      int segment,
      int key) {
    this.domain = domain;
    this.memory = memory;
    this.offset = offset;
    this.length = length;
    this.segment = segment;
    this.key = key;
  }

  @Override
  public MappedMemory memory() {
    return memory;
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public long address() {
    return Iova.of(segment, offset);
  }

  @Override
  public int localKey() {
    return key;
  }

  @Override
  public int remoteKey() {
    return key;
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    SoftDevice device = domain.device();
    device.keys().revoke(key);
    boolean out =
        device.awaitTrue(
            () -> !device.isAnnounced(KeyTable.slot(key)), Deadline.after(REVOKE_DEADLINE));
    domain.release(this);
    if (!out) {
      throw new VerbsException(
          VerbsException.Code.TIMED_OUT,
          "a peer is stopped inside " + this + "; keep its memory until that peer resumes or dies");
    }
    device.releaseSegment(segment);
  }

  @Override
  public String toString() {
    return "region of " + length + " B at " + offset + " in " + memory;
  }
}
