// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Bytes of heap that threads took. */
final class Allocation {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocation() {}

  /** What the calling thread allocated so far, to the byte. */
  static long ofThisThread() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }
}
