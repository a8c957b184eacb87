// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.store.BlockSink;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.BlockClient;
import dev.verbena.store.serve.BlockRange;
import dev.verbena.store.serve.StoreEndpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.TransportConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fetches blocks that are too large for memory into files, one after the other. */
final class DiskFetch {
  private static final Logger LOG = LoggerFactory.getLogger(DiskFetch.class);

  private final FetchRequest request;
  private final BlockClient client;
  private final StoreEndpoint peer;
  private final ReadCounters counters;
  private final TransportConf transport;

  DiskFetch(
      FetchRequest request,
      BlockClient client,
      StoreEndpoint peer,
      ReadCounters counters,
      TransportConf transport) {
    this.request = request;
    this.client = client;
    this.peer = peer;
    this.counters = counters;
    this.transport = transport;
  }

  /**
   * Fetches blocks.
   *
   * @param names Spark's name of each
   * @param ended told of each block once, with its failure or null
   */
  void run(Map<BlockRange, String> names, BiConsumer<String, StoreException> ended) {
    names.forEach(
        (range, name) -> {
          ManagedBuffer data;
          try {
            data = fetch(range);
          } catch (StoreException failure) {
            ended.accept(name, failure);
            return;
          } catch (IOException | RuntimeException failure) {
            ended.accept(
                name,
                new StoreException(
                    StoreException.Code.IO, "bringing " + name + " to disk: " + failure, failure));
            return;
          }
          tell(name, data);
          ended.accept(name, null);
        });
  }

  /** What the listener throws of one block keeps no other from it. */
  private void tell(String name, ManagedBuffer data) {
    try {
      request.listener().onBlockFetchSuccess(name, data);
    } catch (RuntimeException e) {
      LOG.error("The listener threw, told that {} is on disk", name, e);
    }
  }

  private ManagedBuffer fetch(BlockRange range) throws IOException {
    DownloadFile file = request.files().createTempFile(transport);
    boolean complete = false;
    try (DownloadFileWritableChannel channel = file.openForWriting()) {
      BlockClient.Transferred got = client.transfer(peer, range, new ChannelSink(channel));
      ManagedBuffer data = channel.closeAndRead();
      counters.read(Carrier.labelled(got.carrier()), got.bytes());
      complete = request.files().registerTempFileToClean(file);
      return data;
    } finally {
      if (!complete) {
        file.delete();
      }
    }
  }

  private record ChannelSink(WritableByteChannel channel) implements BlockSink {
    @Override
    public void put(byte[] source, int offset, int length) {
      put(ByteBuffer.wrap(source, offset, length));
    }

    @Override
    public void put(ByteBuffer source) {
      try {
        while (source.hasRemaining()) {
          channel.write(source);
        }
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
