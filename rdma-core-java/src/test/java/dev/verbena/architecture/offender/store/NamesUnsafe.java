// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.store;

/** Breaks the rule that only the memory package copies raw memory, by reflection. */
public final class NamesUnsafe {
  private NamesUnsafe() {}

  /** The class, found by its name. */
  public static Class<?> find() throws ClassNotFoundException {
    return Class.forName("sun.misc.Unsafe");
  }
}
