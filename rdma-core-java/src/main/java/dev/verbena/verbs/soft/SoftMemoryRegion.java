// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A registered range: an entry of the device's key table. */
final class SoftMemoryRegion implements MemoryRegion {
  private static final Logger LOG = LoggerFactory.getLogger(SoftMemoryRegion.class);
  private static final Duration REVOKE_DEADLINE = Duration.ofSeconds(5);

  private final SoftProtectionDomain domain;
  private final MappedMemory memory;
  private final long offset;
  private final long length;
  private final int segment;
  private final int key;
  private final PersistentRegion persistent;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Announced before {@link #closed} is read, as hazards are for peers. */
  private final AtomicInteger persisting = new AtomicInteger();

  SoftMemoryRegion(
      SoftProtectionDomain domain,
      MappedMemory memory,
      long offset,
      long length,
      int segment,
      int key,
      PersistentRegion persistent) {
    this.domain = domain;
    this.memory = memory;
    this.offset = offset;
    this.length = length;
    this.segment = segment;
    this.key = key;
    this.persistent = persistent;
  }

  /** Persister: makes durable what a peer's FLUSH names; what it says is checked again. */
  CompletionStatus persist(FlushOrder order) {
    persisting.incrementAndGet();
    try {
      if (closed.get()
          || persistent == null
          || order.domain() != domain.number()
          || !(order.whole() || covers(order))) {
        return CompletionStatus.REMOTE_ACCESS_ERROR;
      }
      if (order.whole()) {
        persistent.persist(offset, length);
      } else {
        persistent.persist(Iova.offset(order.address()), order.length());
      }
      return CompletionStatus.SUCCESS;
    } catch (RuntimeException | InternalError e) {
      LOG.warn("a FLUSH of {} failed", this, e);
      return CompletionStatus.REMOTE_OPERATION_ERROR;
    } finally {
      persisting.decrementAndGet();
    }
  }

  private boolean covers(FlushOrder order) {
    long from = order.address() - address();
    return order.length() >= 0 && from >= 0 && from <= length - order.length();
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
    device.regions().leave(this);
    device.keys().revoke(key);
    boolean out =
        device.awaitTrue(
            () -> persisting.get() == 0 && !device.isAnnounced(KeyTable.slot(key)),
            Deadline.after(REVOKE_DEADLINE));
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
