// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

/** Counts what is read, and what fell back. Thread-safe. */
public interface ReadCounters {
  /** Counts a block. */
  void read(Carrier carrier, long length);

  /** Counts something that fell back. */
  void fellBack(FallbackReason reason);

  /** Counts everything twice: for a task, say, and for its process. */
  static ReadCounters both(ReadCounters one, ReadCounters other) {
    return new ReadCounters() {
      @Override
      public void read(Carrier carrier, long length) {
        one.read(carrier, length);
        other.read(carrier, length);
      }

      @Override
      public void fellBack(FallbackReason reason) {
        one.fellBack(reason);
        other.fellBack(reason);
      }
    };
  }
}
