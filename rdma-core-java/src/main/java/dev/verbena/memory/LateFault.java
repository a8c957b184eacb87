// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

/**
 * Faults of a thread that HotSpot holds back. A copy or a word access beyond the end of a truncated
 * file is left out, and {@link InternalError} is thrown at the thread's next entry into the VM:
 * most often after the access returned, and anywhere. Who touched memory that may be truncated
 * collects the error before going on to other things.
 */
public final class LateFault {
  /** An entry is enough on every HotSpot that was tried; the others are for those that were not. */
  private static final int ENTRIES = 3;

  /** Never anything else, which the compiler must not know. */
  private static volatile int one = 1;

  /** What is stored here must be made. */
  @SuppressWarnings("UnusedVariable")
  private static volatile Object sink;

  private LateFault() {}

  /** Lets what is held back for this thread come now, and says whether anything came. */
  public static boolean collect() {
    boolean found = false;
    for (int i = 0; i < ENTRIES; i++) {
      try {
        // Arrays of arrays of a length that is not constant are made by the VM, in every tier.
        sink = new byte[one][one];
      } catch (InternalError e) {
        found = true; // The caller says of which memory.
      }
    }
    return found;
  }
}
