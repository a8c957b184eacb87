// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.serve.BlockRange;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * A block, or consecutive blocks of one map output, that a reduce task must read.
 *
 * @param id Spark's name of it
 * @param size bytes as the map status tells them: an estimate
 * @param mapIndex index of the map task in its stage
 * @param address who holds it
 */
record WantedBlock(BlockId id, long size, int mapIndex, BlockManagerId address) {

  BlockRange range(String application) {
    if (id instanceof ShuffleBlockId one) {
      return new BlockRange(
          new MapOutputKey(application, one.shuffleId(), one.mapId()),
          one.reduceId(),
          one.reduceId() + 1);
    }
    ShuffleBlockBatchId batch = (ShuffleBlockBatchId) id;
    return new BlockRange(
        new MapOutputKey(application, batch.shuffleId(), batch.mapId()),
        batch.startReduceId(),
        batch.endReduceId());
  }

  /** Makes the failure that has the map task run again; to be thrown at once. */
  FetchFailedException fetchFailed(String message, Throwable cause) {
    if (id instanceof ShuffleBlockId one) {
      return new FetchFailedException(
          address, one.shuffleId(), one.mapId(), mapIndex, one.reduceId(), message, cause);
    }
    ShuffleBlockBatchId batch = (ShuffleBlockBatchId) id;
    return new FetchFailedException(
        address, batch.shuffleId(), batch.mapId(), mapIndex, batch.startReduceId(), message, cause);
  }
}
