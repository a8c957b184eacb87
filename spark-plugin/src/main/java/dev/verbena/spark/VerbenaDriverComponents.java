// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;

/**
 * The driver's part: Spark's own, which has executors drop a shuffle that is no longer needed, and
 * the secret for executors.
 */
final class VerbenaDriverComponents extends LocalDiskShuffleDriverComponents {
  private final SparkConf conf;

  VerbenaDriverComponents(SparkConf conf) {
    this.conf = conf;
  }

  @Override
  public Map<String, String> initializeApplication() {
    Map<String, String> toExecutors = new HashMap<>(super.initializeApplication());
    toExecutors.put(StoreSecret.NAME, conf.get(StoreSecret.KEY));
    ((VerbenaShuffleManager) SparkEnv.get().shuffleManager()).registerMetrics();
    return toExecutors;
  }
}
