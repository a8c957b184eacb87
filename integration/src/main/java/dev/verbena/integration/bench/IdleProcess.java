// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.Await;
import java.time.Duration;

/** Waits until a process has done next to nothing for a second. */
final class IdleProcess {
  private static final long SPAN_NANOS = Duration.ofSeconds(1).toNanos();
  private static final double NEXT_TO_NOTHING_SECONDS = 0.01;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final long pid;
  private double cpuSeconds;
  private long since;

  private IdleProcess(long pid) {
    this.pid = pid;
    begin();
  }

  /**
   * Waits for a process to be idle.
   *
   * @throws dev.verbena.integration.IntegrationException if it is not within a minute
   */
  static void await(long pid) {
    IdleProcess process = new IdleProcess(pid);
    Await.until(PATIENCE, "process " + pid + " is idle", process::wasIdle);
  }

  private boolean wasIdle() {
    if (CpuWatch.cpuSecondsOf(pid) - cpuSeconds > NEXT_TO_NOTHING_SECONDS) {
      begin();
      return false;
    }
    return System.nanoTime() - since >= SPAN_NANOS;
  }

  private void begin() {
    cpuSeconds = CpuWatch.cpuSecondsOf(pid);
    since = System.nanoTime();
  }
}
