// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.spark.node.ShuffleNode;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.BlockClient;
import dev.verbena.store.serve.BlockRange;
import dev.verbena.store.serve.FetchListener;
import dev.verbena.store.serve.FetchedBlock;
import dev.verbena.store.serve.StoreEndpoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request by verbs. Blocks that fail are asked for once more over tcp where that is another
 * way, and then left to Spark's own block transfer. Thread-safe.
 */
final class VerbsFetch {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsFetch.class);

  /** Takes blocks that verbs could not bring. */
  @FunctionalInterface
  interface LastResort {
    void fetch(FetchRequest request, List<String> blocks, FallbackReason reason);
  }

  private final ShuffleNode node;
  private final FetchRequest request;
  private final StoreEndpoint peer;
  private final ReadCounters counters;
  private final LastResort lastResort;

  VerbsFetch(
      ShuffleNode node,
      FetchRequest request,
      StoreEndpoint peer,
      ReadCounters counters,
      LastResort lastResort) {
    this.node = node;
    this.request = request;
    this.peer = peer;
    this.counters = counters;
    this.lastResort = lastResort;
  }

  void start(BlockClient client, List<String> blocks) {
    attempt(client, blocks, true);
  }

  private void attempt(BlockClient client, List<String> blocks, boolean first) {
    Map<BlockRange, String> names = new LinkedHashMap<>();
    for (String block : blocks) {
      names.put(BlockNames.range(node.application(), block), block);
    }
    Attempt attempt = new Attempt(names, first);
    if (request.files() == null) {
      client.fetch(peer, List.copyOf(names.keySet()), attempt);
    } else {
      DiskFetch toDisk = new DiskFetch(request, client, peer, counters, node.transportConf());
      onHelper(blocks, () -> toDisk.run(names, attempt::heard));
    }
  }

  /** Runs what may block; if it can't run or ends early, the blocks have failed. */
  private void onHelper(List<String> blocks, Runnable task) {
    try {
      node.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException failure) {
              fail(blocks, failure);
            }
          });
    } catch (RejectedExecutionException closing) {
      fail(blocks, closing);
    }
  }

  private void fail(List<String> blocks, RuntimeException failure) {
    LOG.warn("{} blocks of executor {} fail", blocks.size(), request.executor(), failure);
    for (String block : blocks) {
      try {
        request.listener().onBlockFetchFailure(block, failure);
      } catch (RuntimeException thrown) {
        LOG.error("The listener threw, told that {} can't be had", block, thrown);
      }
    }
  }

  /** Hears of the blocks of one attempt. */
  private final class Attempt implements FetchListener {
    private final Map<BlockRange, String> names;
    private final boolean first;
    private final List<String> failed = new ArrayList<>();
    private int open;
    private StoreException lastFailure;

    Attempt(Map<BlockRange, String> names, boolean first) {
      this.names = names;
      this.first = first;
      this.open = names.size();
    }

    @Override
    public void onBlock(FetchedBlock block) {
      try {
        counters.read(Carrier.labelled(block.carrier()), block.length());
        request.listener().onBlockFetchSuccess(names.get(block.range()), new FetchedBuffer(block));
      } finally {
        block.release();
        heard(null, null);
      }
    }

    @Override
    public void onFailure(BlockRange range, StoreException failure) {
      heard(names.get(range), failure);
    }

    private void heard(String failedBlock, StoreException failure) {
      synchronized (this) {
        if (failure != null) {
          failed.add(failedBlock);
          lastFailure = failure;
        }
        open--;
        if (open > 0 || failed.isEmpty()) {
          return;
        }
      }
      onHelper(failed, () -> fallBack(failed, lastFailure, first));
    }
  }

  private void fallBack(List<String> blocks, StoreException failure, boolean first) {
    LOG.warn("{} blocks of executor {} fall back", blocks.size(), request.executor(), failure);
    node.directory().forget(request.executor());
    FallbackReason reason = FallbackReason.of(failure);
    if (first && reason != FallbackReason.NOT_FOUND) {
      Optional<BlockClient> tcp = tcpClient();
      if (tcp.isPresent()) {
        blocks.forEach(unused -> counters.fellBack(reason));
        attempt(tcp.get(), blocks, false);
        return;
      }
    }
    lastResort.fetch(request, blocks, reason);
  }

  private Optional<BlockClient> tcpClient() {
    try {
      return node.tcpClient();
    } catch (RuntimeException failure) {
      LOG.warn("No verbs over tcp", failure);
      return Optional.empty();
    }
  }
}
