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
  private boolean closed;

  RdmaMemoryWindow(RdmaProtectionDomain domain) {
    this.domain = domain;
    ByteBuffer made = NativeMemory.buffer(Integer.BYTES);
    this.handle =
        Failures.check(
            Native.windowAllocate(domain.handle(), NativeMemory.address(made)),
            "allocating a window on " + domain.device().name());
    this.key = next(made.getInt(0));
    domain.device().windows().put(index(key), handle);
  }

  /** What all keys of a window have in common. */
  static int index(int key) {
    return key >>> VARIANT_BITS;
  }

  /** As ibv_inc_rkey. */
  private static int next(int key) {
    return (key & ~VARIANT_MASK) | ((key + 1) & VARIANT_MASK);
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
    Failures.check(Native.windowDeallocate(handle), "deallocating " + this);
    closed = true;
    domain.device().windows().remove(index(key), handle);
    domain.release(this);
  }

  @Override
  public String toString() {
    return "window of " + domain.device().name();
  }
}
