// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.metrics.TaskCounters;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.sort.SerializedShuffleHandle;

/** Handle of what the direct writer, or Spark's serialized sort, writes. */
final class VerbenaSerializedHandle<K, V> extends SerializedShuffleHandle<K, V>
    implements CountedHandle {
  private static final long serialVersionUID = 1L;

  private final TaskCounters counters;

  VerbenaSerializedHandle(
      int shuffle, ShuffleDependency<K, V, V> dependency, TaskCounters counters) {
    super(shuffle, dependency);
    this.counters = counters;
  }

  @Override
  public TaskCounters counters() {
    return counters;
  }
}
