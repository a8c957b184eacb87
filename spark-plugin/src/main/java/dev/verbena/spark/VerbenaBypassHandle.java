// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.metrics.TaskCounters;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.sort.BypassMergeSortShuffleHandle;

/** Handle of what has few partitions and can't be relocated. */
final class VerbenaBypassHandle<K, V> extends BypassMergeSortShuffleHandle<K, V>
    implements CountedHandle {
  private static final long serialVersionUID = 1L;

  private final TaskCounters counters;

  VerbenaBypassHandle(int shuffle, ShuffleDependency<K, V, V> dependency, TaskCounters counters) {
    super(shuffle, dependency);
    this.counters = counters;
  }

  @Override
  public TaskCounters counters() {
    return counters;
  }
}
