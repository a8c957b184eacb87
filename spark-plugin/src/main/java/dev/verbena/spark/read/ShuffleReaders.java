// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.spark.node.ShuffleNode;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Makes readers. One an executor; thread-safe. */
public final class ShuffleReaders {
  private final ReadPolicy policy;

  /** Reads Spark's keys that concern readers. */
  public ShuffleReaders(SparkConf conf) {
    this.policy = ReadPolicy.of(conf);
  }

  /**
   * A reader for the blocks of one reduce task.
   *
   * @param blocks the blocks by their holder, as the map output tracker tells them
   * @param mayBatch whether the task allows to fetch consecutive blocks as one
   */
  @SuppressWarnings("unchecked")
  public <K, C> ShuffleReader<K, C> create(
      ShuffleNode node,
      ShuffleDependency<K, ?, C> dependency,
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      boolean mayBatch,
      TaskContext context,
      ShuffleReadMetricsReporter metrics,
      ReadCounters counters) {
    return new VerbenaShuffleReader<>(
        (ShuffleDependency<K, Object, C>) dependency,
        context,
        () -> records(node, dependency, blocks, mayBatch, context, metrics, counters));
  }

  private Iterator<Product2<Object, Object>> records(
      ShuffleNode node,
      ShuffleDependency<?, ?, ?> dependency,
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      boolean mayBatch,
      TaskContext context,
      ShuffleReadMetricsReporter metrics,
      ReadCounters counters) {
    SparkEnv env = SparkEnv.get();
    BlockManager manager = env.blockManager();
    SerializerManager serializers = manager.serializerManager();
    boolean relocatable = dependency.serializer().supportsRelocationOfSerializedObjects();
    boolean batch = mayBatch && relocatable && policy.batchable();
    BlockStoreClient client =
        new VerbenaBlockStoreClient(node, manager.blockStoreClient(), counters);
    BlockSorter sorter = new BlockSorter(node, manager.blockManagerId(), batch, counters);
    sorter.sort(blocks);
    DirectReads direct =
        new DirectReads(
            sorter.direct(),
            relocatable,
            policy,
            serializers,
            new CorruptionReport(serializers, client, policy),
            counters,
            metrics);
    return new BlockRecords(
        context,
        metrics,
        dependency.serializer().newInstance(),
        new BlockFetcher(context, client, manager, env.mapOutputTracker(), policy, metrics, batch),
        direct,
        sorter.fetched());
  }
}
