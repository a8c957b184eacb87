// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.rpc;

import java.lang.invoke.VarHandle;

/** Breaks the rule that only the memory package orders memory. */
public final class OrdersMemory {
  private OrdersMemory() {}

  /** Publishes an element. */
  public static void publish(VarHandle handle, long[] array, long value) {
    handle.setRelease(array, 0, value);
  }

  /** Fences. */
  public static void fence() {
    VarHandle.fullFence();
  }
}
