// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.MemoryWindow;
import java.nio.ByteBuffer;

/** A window of type 2. Keys of one window differ in their lowest byte. */
final class RdmaMemoryWindow implements MemoryWindow {
  private static final int VARIANT_BITS = 8;
  private static final int VARIANT_MASK = (1 << VARIANT_BITS) - 1;

  private final RdmaProtectionDomain domain;
  private final long handle;
  private volatile int key;

  /** The latest bind; null if there was none. Kept only where the device is soft-RoCE. */
  private volatile Bind bind;

  private boolean ended;
  private boolean closed;

  private record Bind(RdmaQueuePair queuePair, RdmaMemoryRegion region, int key, boolean open) {
    Bind with(boolean nowOpen) {
      return new Bind(queuePair, region, key, nowOpen);
    }
  }

  RdmaMemoryWindow(RdmaProtectionDomain domain) {
    this.domain = domain;
    ByteBuffer made = NativeMemory.buffer(Integer.BYTES);
    this.handle =
        Failures.check(
            Native.windowAllocate(domain.handle(), NativeMemory.address(made)),
            "allocating a window on " + domain.device().name());
    this.key = next(made.getInt(0));
    domain.device().windows().put(index(key), this);
  }

  /** What all keys of a window have in common. */
  static int index(int key) {
    return key >>> VARIANT_BITS;
  }

  /** As ibv_inc_rkey. */
  private static int next(int key) {
    return (key & ~VARIANT_MASK) | ((key + 1) & VARIANT_MASK);
  }

  RdmaProtectionDomain domain() {
    return domain;
  }

  long handle() {
    return handle;
  }

  /** A bind under that key was posted. */
  synchronized void bound(RdmaQueuePair queuePair, RdmaMemoryRegion region, int under) {
    bind = new Bind(queuePair, region, under, true);
  }

  /** A bind under that key was flushed. */
  synchronized void notBound(int under) {
    if (hasUsed(under)) {
      bind = null;
    }
  }

  /** Whether its latest bind has a key that is valid: not, if an invalidate was posted or came. */
  synchronized void setOpen(int under, boolean open) {
    if (hasUsed(under)) {
      bind = bind.with(open);
    }
  }

  /** Whether its latest bind had that key: a key serves one bind. */
  boolean hasUsed(int asked) {
    Bind latest = bind;
    return latest != null && latest.key() == asked;
  }

  /** Whether its latest bind had that key and was posted there. */
  boolean isBoundAt(RdmaQueuePair queuePair, int asked) {
    Bind latest = bind;
    return latest != null && latest.queuePair() == queuePair && latest.key() == asked;
  }

  /**
   * A queue pair of soft-RoCE is about to be destroyed, which would wait 50 s for the windows that
   * are bound to it. Such a window is good for nothing but its deallocation, so the device loses it
   * here already. Its region stays in use until it is closed.
   */
  synchronized void endWith(RdmaQueuePair queuePair) {
    Bind latest = bind;
    if (closed || ended || latest == null || !latest.open() || latest.queuePair() != queuePair) {
      return;
    }
    Failures.check(Native.windowDeallocate(handle), "deallocating " + this);
    ended = true;
    domain.device().windows().remove(index(key), this);
    latest.region().addEndedWindow(1);
  }

  @Override
  public int remoteKey() {
    return key;
  }

  @Override
  public synchronized int renewKey() {
    key = next(key);
    return key;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (ended) {
      bind.region().addEndedWindow(-1);
    } else {
      Failures.check(Native.windowDeallocate(handle), "deallocating " + this);
    }
    closed = true;
    domain.device().windows().remove(index(key), this);
    domain.release(this);
  }

  @Override
  public String toString() {
    return "window of " + domain.device().name();
  }
}
