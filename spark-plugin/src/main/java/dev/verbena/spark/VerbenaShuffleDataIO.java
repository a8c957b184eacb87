// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.write.StoreExecutorComponents;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.api.ShuffleDataIO;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;

/**
 * Where Spark's own writers put map outputs. {@link VerbenaShuffleManager} names it in the
 * configuration; users do not.
 */
public final class VerbenaShuffleDataIO implements ShuffleDataIO {
  private final SparkConf conf;

  /** Called by Spark. */
  public VerbenaShuffleDataIO(SparkConf conf) {
    this.conf = conf;
  }

  @Override
  public ShuffleExecutorComponents executor() {
    ShuffleManager manager = SparkEnv.get().shuffleManager();
    return new StoreExecutorComponents(
        (shuffle, mapId, partitions) ->
            ((VerbenaShuffleManager) manager).node().openMapOutput(shuffle, mapId, partitions));
  }

  @Override
  public ShuffleDriverComponents driver() {
    return new VerbenaDriverComponents(conf);
  }
}
