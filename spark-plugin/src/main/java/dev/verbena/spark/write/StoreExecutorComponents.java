// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import dev.verbena.store.MapOutputWriter;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter;
import org.apache.spark.shuffle.api.SingleSpillShuffleMapOutputWriter;
import org.apache.spark.util.TaskCompletionListener;

/** Gives Spark's own writers a place in the store. Thread-safe. */
public final class StoreExecutorComponents implements ShuffleExecutorComponents {
  private final MapOutputOpener outputs;

  /** Creates the components of an executor. */
  public StoreExecutorComponents(MapOutputOpener outputs) {
    this.outputs = outputs;
  }

  @Override
  public void initializeExecutor(
      String application, String executor, Map<String, String> extraConfigs) {}

  @Override
  public ShuffleMapOutputWriter createMapOutputWriter(int shuffle, long mapId, int partitions) {
    return new StoreMapOutputWriter(open(shuffle, mapId, partitions));
  }

  @Override
  public Optional<SingleSpillShuffleMapOutputWriter> createSingleFileMapOutputWriter(
      int shuffle, long mapId) {
    return Optional.of(new StoreSpillTransfer(partitions -> open(shuffle, mapId, partitions)));
  }

  /** Some of Spark's writers do not abort what they began, so the task's end does. */
  private MapOutputWriter open(int shuffle, long mapId, int partitions) {
    MapOutputWriter output = outputs.open(shuffle, mapId, partitions);
    TaskContext task = TaskContext.get();
    if (task != null) {
      TaskCompletionListener close = ended -> output.close();
      task.addTaskCompletionListener(close);
    }
    return output;
  }
}
