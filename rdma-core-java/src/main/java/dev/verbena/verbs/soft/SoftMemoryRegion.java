// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A registered range: an entry of the device's key table. */
final class SoftMemoryRegion implements MemoryRegion, KeyHolder {
  private static final Logger LOG = LoggerFactory.getLogger(SoftMemoryRegion.class);

  private final SoftProtectionDomain domain;
  private final MappedMemory memory;
  private final long offset;
  private final long length;
  private final int segment;
  private final int key;
  private final int access;
  private final PersistentRegion persistent;

  /** Set before the windows are looked at, as they look at it after they are bound. */
  private final AtomicBoolean closing = new AtomicBoolean();

  private volatile boolean closed;

  /** Closed, but a peer that had checked the key before is stopped inside. */
  private volatile boolean quarantined;

  /** Announced before {@link #closed} is read, as hazards are for peers. */
  private final AtomicInteger persisting = new AtomicInteger();

  SoftMemoryRegion(
      SoftProtectionDomain domain,
      MappedMemory memory,
      long offset,
      long length,
      int segment,
      int key,
      int access,
      PersistentRegion persistent) {
    this.domain = domain;
    this.memory = memory;
    this.offset = offset;
    this.length = length;
    this.segment = segment;
    this.key = key;
    this.access = access;
    this.persistent = persistent;
  }

  @Override
  public int slot() {
    return KeyTable.slot(key);
  }

  @Override
  public boolean holds(int candidate) {
    return candidate == key;
  }

  boolean isClosing() {
    return closing.get();
  }

  /** The flags of its entry in the key table, which hold for its windows too. */
  long keyFlags() {
    return keyFlags(persistent);
  }

  static long keyFlags(PersistentRegion persistent) {
    return persistent == null || persistent.method() == DurabilityMethod.NONE
        ? 0
        : KeyTable.PERSISTED_BY_OWNER;
  }

  /** Whether a window of {@code of} may be bound to this range with this access. */
  boolean allowsWindow(SoftProtectionDomain of, WindowRange range) {
    int wanted = range.access();
    return of == domain
        && (access & KeyTable.WINDOW_BIND) != 0
        && (wanted & ~AccessBits.OF_A_WINDOW) == 0
        && (!AccessBits.changesMemory(wanted) || (access & KeyTable.LOCAL_WRITE) != 0)
        && ((wanted & KeyTable.FLUSH_PERSISTENT) == 0 || persistent != null)
        && range.length() > 0
        && covers(range.address(), range.length());
  }

  @Override
  public CompletionStatus persist(FlushOrder order) {
    persisting.incrementAndGet();
    try {
      if (closed
          || persistent == null
          || order.domain() != domain.number()
          || !(order.whole() || covers(order.address(), order.length()))) {
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

  private boolean covers(long first, long count) {
    return count >= 0
        && count <= length
        && first >= address()
        && first - address() <= length - count;
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
    SoftDevice device = domain.device();
    if (!closing.compareAndSet(false, true)) {
      Deadline deadline = Deadline.after(device.faults().patience());
      if (!device.awaitTrue(() -> !quarantined, deadline)) {
        throw stillInside();
      }
      return;
    }
    long windows = domain.windows().stream().filter(window -> window.isBoundTo(this)).count();
    if (windows > 0) {
      closing.set(false);
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, windows + " windows are bound to " + this);
    }
    closed = true;
    device.regions().leave(this);
    device.keys().revoke(key);
    boolean out = device.awaitTrue(this::isLeft, Deadline.after(device.faults().patience()));
    domain.release(this);
    if (out) {
      device.releaseSegment(segment);
    } else {
      quarantined = true;
      device
          .quarantine()
          .hold(
              toString(),
              this::isLeft,
              () -> {
                device.releaseSegment(segment);
                quarantined = false;
              });
      throw stillInside();
    }
  }

  private boolean isLeft() {
    return persisting.get() == 0 && !domain.device().isAnnounced(KeyTable.slot(key));
  }

  private VerbsException stillInside() {
    return new VerbsException(
        VerbsException.Code.TIMED_OUT,
        "a peer is stopped inside "
            + this
            + "; keep its memory until that peer resumes or dies, and this can be closed");
  }

  @Override
  public String toString() {
    return "region of " + length + " B at " + offset + " in " + memory;
  }
}
