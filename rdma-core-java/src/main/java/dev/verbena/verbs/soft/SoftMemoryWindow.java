// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.VerbsException;

/**
 * A window: a slot of the device's key table for as long as it lives. Whether it is bound is told
 * by the table alone, since a shm peer invalidates there.
 */
final class SoftMemoryWindow implements MemoryWindow, KeyHolder {
  private final SoftProtectionDomain domain;
  private final KeyTable keys;
  private final int slot;

  /** Held by binds, by {@link #close} and by a parent that closes. */
  private final SpinClaim claim = new SpinClaim();

  private volatile int key;
  private volatile int boundKey;
  private volatile SoftMemoryRegion parent;
  private long boundAddress;
  private long boundLength;
  private boolean closed;
  private volatile boolean quarantined;

  SoftMemoryWindow(SoftProtectionDomain domain, int key) {
    this.domain = domain;
    this.keys = domain.device().keys();
    this.slot = KeyTable.slot(key);
    this.key = key;
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public boolean holds(int candidate) {
    return candidate == key || candidate == boundKey;
  }

  @Override
  public int remoteKey() {
    return key;
  }

  @Override
  public int renewKey() {
    claim.claim();
    try {
      key = keys.drawAgain(key, boundKey);
      return key;
    } finally {
      claim.release();
    }
  }

  /** Engine: whether the bind is allowed and done. */
  boolean bind(int newKey, SoftMemoryRegion region, WindowRange range, SoftQueuePair queuePair) {
    claim.claim();
    try {
      if (closed
          || newKey != key
          || newKey == boundKey
          || !keys.isUnbound(slot)
          || queuePair.domain() != domain
          || !region.allowsWindow(domain, range)) {
        return false;
      }
      parent = region;
      if (region.isClosing()) {
        parent = null;
        return false;
      }
      boundKey = newKey;
      boundAddress = range.address();
      boundLength = range.length();
      keys.bind(newKey, domain.number(), range, region.keyFlags(), queuePair.number());
      return true;
    } finally {
      claim.release();
    }
  }

  /** Whether it is bound to a region; asked by one that marked itself as closing before. */
  boolean isBoundTo(SoftMemoryRegion region) {
    claim.claim();
    try {
      return parent == region && !keys.isUnbound(slot);
    } finally {
      claim.release();
    }
  }

  @Override
  public CompletionStatus persist(FlushOrder order) {
    SoftMemoryRegion region;
    FlushOrder inRegion;
    claim.claim();
    try {
      region = parent;
      if (order.key() != boundKey || region == null || keys.isUnbound(slot)) {
        return CompletionStatus.REMOTE_ACCESS_ERROR;
      }
      inRegion =
          order.whole()
              ? new FlushOrder(order.key(), order.domain(), boundAddress, boundLength, false)
              : order;
    } finally {
      claim.release();
    }
    return region.persist(inRegion);
  }

  @Override
  public void close() {
    boolean wasClosed;
    claim.claim();
    try {
      wasClosed = closed;
      closed = true;
      if (!wasClosed) {
        keys.unbind(slot);
      }
    } finally {
      claim.release();
    }
    SoftDevice device = domain.device();
    if (!wasClosed) {
      end(device);
    } else {
      device.awaitTrue(() -> !quarantined, Deadline.after(device.faults().patience()));
    }
    if (quarantined) {
      throw new VerbsException(
          VerbsException.Code.TIMED_OUT,
          "a peer is stopped inside "
              + this
              + " of "
              + parent
              + "; keep its memory until that peer resumes or dies, and this can be closed");
    }
  }

  private void end(SoftDevice device) {
    device.regions().leave(this);
    boolean out =
        device.awaitTrue(
            () -> !device.isAnnounced(slot), Deadline.after(device.faults().patience()));
    domain.release(this);
    if (out) {
      keys.freeWindow(slot);
      return;
    }
    quarantined = true;
    device
        .quarantine()
        .hold(
            toString(),
            () -> !device.isAnnounced(slot),
            () -> {
              keys.freeWindow(slot);
              quarantined = false;
            });
  }

  @Override
  public String toString() {
    return "window in slot " + slot + " of domain " + domain.number();
  }
}
