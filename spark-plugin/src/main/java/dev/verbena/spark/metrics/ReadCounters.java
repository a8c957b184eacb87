// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

/**
 * Counts what one task reads, for the task and for its process. Thread-safe.
 *
 * @param task the task's accumulators
 * @param process the process's totals
 */
public record ReadCounters(TaskCounters task, CarrierTotals process) {
  /** Counts a block. */
  public void read(Carrier carrier, long length) {
    task.read(carrier, length);
    process.read(carrier, length);
  }

  /** Counts something that fell back. */
  public void fellBack(FallbackReason reason) {
    task.fellBack(reason);
    process.fellBack(reason);
  }
}
