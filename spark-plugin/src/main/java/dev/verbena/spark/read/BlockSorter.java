// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.spark.node.ShuffleNode;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.BlockClient;
import dev.verbena.store.serve.StoreEndpoint;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.storage.ShuffleBlockFetcherIterator.FetchBlockInfo;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Decides for each block of a task whether it is read directly or fetched. One thread. */
final class BlockSorter {
  private final ShuffleNode node;
  private final boolean batch;
  private final ReadCounters counters;
  private final BlockManagerId here;
  private final List<DirectBlock> direct = new ArrayList<>();
  private final List<WantedBlock> fetched = new ArrayList<>();

  BlockSorter(ShuffleNode node, BlockManagerId here, boolean batch, ReadCounters counters) {
    this.node = node;
    this.here = here;
    this.batch = batch;
    this.counters = counters;
  }

  void sort(Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> byAddress) {
    while (byAddress.hasNext()) {
      Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> next = byAddress.next();
      BlockManagerId address = next._1();
      Optional<BlockSource> source = sourceOf(address, next._2());
      if (source.isPresent()) {
        for (FetchBlockInfo block : merged(next._2())) {
          WantedBlock wanted =
              new WantedBlock(block.blockId(), block.size(), block.mapIndex(), address);
          direct.add(new DirectBlock(wanted, source.get()));
        }
      } else {
        for (Tuple3<BlockId, Object, Object> block : CollectionConverters.asJava(next._2())) {
          fetched.add(wanted(block, address));
        }
      }
    }
  }

  /** Blocks to read directly. */
  List<DirectBlock> direct() {
    return direct;
  }

  /** Blocks to fetch, not merged: the fetcher does it. */
  List<WantedBlock> fetched() {
    return fetched;
  }

  private Optional<BlockSource> sourceOf(
      BlockManagerId address, Seq<Tuple3<BlockId, Object, Object>> blocks) {
    if (address.executorId().equals(here.executorId())) {
      return Optional.of(new OwnBlocks(node.application(), node.store()));
    }
    if (!node.mapsPeers() || !address.host().equals(here.host()) || blocks.isEmpty()) {
      return Optional.empty();
    }
    return mapped(address, wanted(blocks.head(), address));
  }

  /** A peer is mapped if its first block can be. */
  private Optional<BlockSource> mapped(BlockManagerId address, WantedBlock first) {
    try {
      Optional<BlockClient> client = node.client();
      Optional<StoreEndpoint> peer = node.directory().find(address.executorId());
      if (client.isEmpty() || peer.isEmpty()) {
        return Optional.empty();
      }
      Optional<InputStream> probe =
          client.get().openMapped(peer.get(), first.range(node.application()));
      if (probe.isEmpty()) {
        return Optional.empty();
      }
      probe.get().close();
      return Optional.of(new MappedBlocks(node.application(), client.get(), peer.get()));
    } catch (StoreException failure) {
      node.directory().forget(address.executorId());
      counters.fellBack(FallbackReason.of(failure));
      return Optional.empty();
    } catch (IOException failure) {
      counters.fellBack(FallbackReason.OTHER);
      return Optional.empty();
    }
  }

  private Iterable<FetchBlockInfo> merged(Seq<Tuple3<BlockId, Object, Object>> blocks) {
    List<FetchBlockInfo> infos = new ArrayList<>(blocks.size());
    for (Tuple3<BlockId, Object, Object> block : CollectionConverters.asJava(blocks)) {
      infos.add(new FetchBlockInfo(block._1(), (long) block._2(), (int) block._3()));
    }
    return batch
        ? CollectionConverters.asJava(
            ShuffleBlockFetcherIterator.mergeContinuousShuffleBlockIdsIfNeeded(
                CollectionConverters.asScala(infos), true))
        : infos;
  }

  private static WantedBlock wanted(Tuple3<BlockId, Object, Object> block, BlockManagerId address) {
    return new WantedBlock(block._1(), (long) block._2(), (int) block._3(), address);
  }
}
