// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.interop.Raise;
import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.util.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the blocks of the own store and of mapped ones. Where codec and serializer allow it, all of
 * them are decoded as one stream: a decoder for each block of a few hundred bytes costs more than
 * its decoding. One thread.
 */
final class DirectReads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectReads.class);

  private final RawBlocks raw;
  private final boolean asOne;
  private final ReadPolicy policy;
  private final SerializerManager serializers;
  private final CorruptionReport corruption;
  private final ReadCounters counters;
  private final List<WantedBlock> leftovers = new ArrayList<>();
  private InputStream current;

  /**
   * Creates the reads.
   *
   * @param relocatable whether the serializer's records of several blocks may follow each other
   */
  DirectReads(
      List<DirectBlock> blocks,
      boolean relocatable,
      ReadPolicy policy,
      SerializerManager serializers,
      CorruptionReport corruption,
      ReadCounters counters,
      ShuffleReadMetricsReporter metrics) {
    this.raw = new RawBlocks(blocks.iterator(), leftovers::add, counters, metrics);
    this.asOne = relocatable && policy.concatenable() && !policy.detectCorruptAhead();
    this.policy = policy;
    this.serializers = serializers;
    this.corruption = corruption;
    this.counters = counters;
  }

  /** The next decoded stream; empty when all blocks were given out. The caller closes it. */
  Optional<InputStream> next() throws IOException {
    while (raw.start(asOne)) {
      InputStream decoding;
      try {
        decoding = decode();
      } catch (IOException failure) {
        retryOrFail(failure);
        continue;
      }
      boolean encoded = decoding != raw;
      current = new DecodedBlocks(decoding, raw, failure -> explain(failure, encoded));
      return Optional.of(current);
    }
    raw.finish();
    return Optional.empty();
  }

  /** Spark's methods throw IOException without declaring it. */
  private InputStream decode() throws IOException {
    BlockId id = raw.opened().get(0).block().id();
    InputStream decoding = serializers.wrapStream(id, raw);
    return decoding != raw && policy.detectCorruptAhead()
        ? Utils.copyStreamUpTo(decoding, policy.maxBytesInFlight() / 3)
        : decoding;
  }

  /** Blocks that could not be read directly: the fetcher's, once {@link #next} is empty. */
  List<WantedBlock> leftovers() {
    return leftovers;
  }

  @Override
  public void close() throws IOException {
    if (current != null) {
      current.close();
    }
    raw.finish();
  }

  /** The first time, another carrier gets a chance, as Spark fetches a corrupt block twice. */
  private void retryOrFail(IOException failure) throws IOException {
    DirectBlock block = raw.opened().get(0);
    if (!block.source().mayFallBack()) {
      raw.finish();
      throw Raise.asIs(explain(failure, true));
    }
    raw.giveUp();
    LOG.warn(
        "got an corrupted block {} from {}, fetch again",
        block.block().id(),
        block.block().address(),
        failure);
    counters.fellBack(FallbackReason.CORRUPT);
    leftovers.add(block.block());
  }

  private Throwable explain(IOException failure, boolean encoded) {
    List<DirectBlock> opened = raw.opened();
    if (failure.getCause() instanceof StoreException) {
      WantedBlock block = opened.get(opened.size() - 1).block();
      return block.fetchFailed(failure.getMessage(), failure);
    }
    if (!encoded || !policy.detectCorrupt()) {
      return failure;
    }
    DirectBlock culprit = corruption.culprit(opened);
    return culprit.block().fetchFailed(corruption.describe(culprit, failure), failure);
  }
}
