// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * Encodes with Spark's own streams: any codec, encryption. Where streams can't be concatenated (an
 * encrypted one begins with its own vector), a partition's stream stays open from round to round.
 */
final class StreamPartitionEncoder implements PartitionEncoder {
  private final SerializerManager serializers;
  private final int shuffle;
  private final long mapId;
  private final OpenStream[] open;

  /**
   * Creates an encoder.
   *
   * @param concatenable whether each round may be a stream of its own
   */
  StreamPartitionEncoder(
      SerializerManager serializers,
      int shuffle,
      long mapId,
      int partitions,
      boolean concatenable) {
    this.serializers = serializers;
    this.shuffle = shuffle;
    this.mapId = mapId;
    this.open = concatenable ? null : new OpenStream[partitions];
  }

  @Override
  public void encode(int partition, PartitionBuffers records, boolean last, PieceSink sink)
      throws IOException {
    OpenStream stream = open == null ? null : open[partition];
    if (stream == null) {
      if (records.length(partition) == 0) {
        return;
      }
      stream = new OpenStream(partition, sink);
    }
    stream.target.sink = sink;
    records.drain(partition, stream.encoding::write);
    if (open == null || last) {
      stream.encoding.close();
      stream = null;
    }
    if (open != null) {
      open[partition] = stream;
    }
  }

  @Override
  public void abandon() throws IOException {
    if (open == null) {
      return;
    }
    for (OpenStream stream : open) {
      if (stream != null) {
        stream.target.sink = (source, offset, length) -> {};
        stream.encoding.close();
      }
    }
  }

  private final class OpenStream {
    final SinkStream target = new SinkStream();
    final OutputStream encoding;

    OpenStream(int partition, PieceSink sink) {
      // An encrypting stream writes its head when it is made.
      target.sink = sink;
      encoding = serializers.wrapStream(new ShuffleBlockId(shuffle, mapId, partition), target);
    }
  }

  private static final class SinkStream extends OutputStream {
    private PieceSink sink;

    @Override
    public void write(int one) throws IOException {
      sink.put(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      sink.put(source, offset, length);
    }
  }
}
