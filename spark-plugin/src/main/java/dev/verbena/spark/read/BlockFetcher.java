// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.MapOutputTracker;
import org.apache.spark.TaskContext;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.SystemClock;
import scala.Option;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Starts Spark's own fetcher over our client: flow control, corruption checks, fetch failures and
 * metrics are its business.
 */
record BlockFetcher(
    TaskContext context,
    BlockStoreClient client,
    BlockManager blocks,
    MapOutputTracker tracker,
    ReadPolicy policy,
    ShuffleReadMetricsReporter metrics,
    boolean batch) {

  Iterator<Tuple2<BlockId, InputStream>> fetch(List<WantedBlock> wanted) {
    // With local disks readable, Spark would look for files of executors on this host, which do not
    // exist, instead of asking the client.
    if (blocks.hostLocalDirManager().isDefined()) {
      blocks.hostLocalDirManager_$eq(Option.empty());
    }
    return new ShuffleBlockFetcherIterator(
            context,
            client,
            blocks,
            tracker,
            byAddress(wanted),
            blocks.serializerManager()::wrapStream,
            policy.maxBytesInFlight(),
            policy.maxRequestsInFlight(),
            policy.maxBlocksPerAddress(),
            policy.maxRequestToMemory(),
            policy.attemptsOnNettyMemory(),
            policy.detectCorrupt(),
            policy.detectCorruptAhead(),
            policy.checksums(),
            policy.checksumAlgorithm(),
            metrics,
            batch,
            new SystemClock())
        .toCompletionIterator();
  }

  private static Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> byAddress(
      List<WantedBlock> wanted) {
    Map<BlockManagerId, List<Tuple3<BlockId, Object, Object>>> grouped = new LinkedHashMap<>();
    for (WantedBlock block : wanted) {
      grouped
          .computeIfAbsent(block.address(), unused -> new ArrayList<>())
          .add(new Tuple3<>(block.id(), block.size(), block.mapIndex()));
    }
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> addresses =
        new ArrayList<>();
    grouped.forEach(
        (address, blocks) ->
            addresses.add(new Tuple2<>(address, CollectionConverters.asScala(blocks).toSeq())));
    return CollectionConverters.asScala(addresses.iterator());
  }
}
