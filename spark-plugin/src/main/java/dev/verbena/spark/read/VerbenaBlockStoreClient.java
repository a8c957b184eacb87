// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.spark.node.ShuffleNode;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.BlockClient;
import dev.verbena.store.serve.StoreEndpoint;
import java.util.List;
import java.util.Optional;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;

/**
 * Fetches blocks for Spark's fetcher: by verbs, then by verbs over tcp, then by Spark's own block
 * transfer, block by block, before a fetch failure becomes of it. Thread-safe; one for each task,
 * whose counters it feeds.
 */
final class VerbenaBlockStoreClient extends BlockStoreClient {
  private final ShuffleNode node;
  private final BlockStoreClient netty;
  private final ReadCounters counters;

  VerbenaBlockStoreClient(ShuffleNode node, BlockStoreClient netty, ReadCounters counters) {
    this.node = node;
    this.netty = netty;
    this.counters = counters;
  }

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String executor,
      String[] blocks,
      BlockFetchingListener listener,
      DownloadFileManager files) {
    FetchRequest request = new FetchRequest(host, port, executor, listener, files);
    List<String> wanted = List.of(blocks);
    try {
      Optional<BlockClient> client = node.client();
      if (client.isEmpty()) {
        fetchByNetty(request, wanted, FallbackReason.NO_DEVICE);
        return;
      }
      Optional<StoreEndpoint> peer = node.directory().find(executor);
      if (peer.isEmpty()) {
        fetchByNetty(request, wanted, FallbackReason.UNKNOWN_STORE);
        return;
      }
      new VerbsFetch(node, request, peer.get(), counters, this::fetchByNetty)
          .start(client.get(), wanted);
    } catch (StoreException failure) {
      fetchByNetty(request, wanted, FallbackReason.of(failure));
    }
  }

  private void fetchByNetty(FetchRequest request, List<String> blocks, FallbackReason reason) {
    blocks.forEach(unused -> counters.fellBack(reason));
    netty.fetchBlocks(
        request.host(),
        request.port(),
        request.executor(),
        blocks.toArray(String[]::new),
        new Counting(request.listener()),
        request.files());
  }

  @Override
  public Cause diagnoseCorruption(
      String host,
      int port,
      String executor,
      int shuffle,
      long mapId,
      int partition,
      long checksum,
      String algorithm) {
    return netty.diagnoseCorruption(
        host, port, executor, shuffle, mapId, partition, checksum, algorithm);
  }

  /** Nothing here is its own. */
  @Override
  public void close() {}

  private final class Counting implements BlockFetchingListener {
    private final BlockFetchingListener listener;

    Counting(BlockFetchingListener listener) {
      this.listener = listener;
    }

    @Override
    public void onBlockFetchSuccess(String block, ManagedBuffer data) {
      counters.read(Carrier.NETTY, data.size());
      listener.onBlockFetchSuccess(block, data);
    }

    @Override
    public void onBlockFetchFailure(String block, Throwable failure) {
      listener.onBlockFetchFailure(block, failure);
    }
  }
}
