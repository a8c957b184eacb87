// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.metrics.TaskCounters;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;

/** Handle of what needs map-side combine or sorting. */
final class VerbenaBaseHandle<K, V, C> extends BaseShuffleHandle<K, V, C> implements CountedHandle {
  private static final long serialVersionUID = 1L;

  private final TaskCounters counters;

  VerbenaBaseHandle(int shuffle, ShuffleDependency<K, V, C> dependency, TaskCounters counters) {
    super(shuffle, dependency);
    this.counters = counters;
  }

  @Override
  public TaskCounters counters() {
    return counters;
  }
}
