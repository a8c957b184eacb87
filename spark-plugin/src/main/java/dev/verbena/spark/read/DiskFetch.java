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

/** Fetches blocks that are too large for memory into files, one after the other. */
final class DiskFetch {
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
   * @param ended told of each block, with its failure or null
   */
  void run(Map<BlockRange, String> names, BiConsumer<String, StoreException> ended) {
    names.forEach(
        (range, name) -> {
          try {
            fetch(range, name);
            ended.accept(name, null);
          } catch (StoreException failure) {
            ended.accept(name, failure);
          } catch (IOException | UncheckedIOException failure) {
            ended.accept(
                name,
                new StoreException(
                    StoreException.Code.IO, "writing " + name + " to disk", failure));
          }
        });
  }

  private void fetch(BlockRange range, String name) throws IOException {
    DownloadFile file = request.files().createTempFile(transport);
    boolean complete = false;
    try (DownloadFileWritableChannel channel = file.openForWriting()) {
      BlockClient.Transferred got = client.transfer(peer, range, new ChannelSink(channel));
      ManagedBuffer data = channel.closeAndRead();
      complete = true;
      counters.read(Carrier.labelled(got.carrier()), got.bytes());
      request.listener().onBlockFetchSuccess(name, data);
    } finally {
      if (!complete || !request.files().registerTempFileToClean(file)) {
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
