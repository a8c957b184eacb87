// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.lang.invoke.VarHandle;

/**
 * The stand-alone fences that the protocols between processes need, in one place so that tests can
 * find every site. Word accesses with ordering are on {@link MappedMemory}.
 */
public final class Fences {
  private Fences() {}

  /**
   * Orders every load and store before it against every one after it. Needed where a store must be
   * seen before a later load is taken (publish, then read the armed flag; announce, then re-check
   * the key): x86 reorders exactly that pair, and release/acquire does not forbid it.
   */
  public static void full() {
    VarHandle.fullFence();
  }
}
