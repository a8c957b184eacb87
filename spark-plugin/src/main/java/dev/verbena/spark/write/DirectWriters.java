// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import dev.verbena.spark.conf.ShuffleSettings;
import java.util.zip.Checksum;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.io.LZ4CompressionCodec;
import org.apache.spark.network.shuffle.checksum.ShuffleChecksumHelper;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.storage.BlockManager;

/** Makes direct writers, and says for which shuffles. One an executor; thread-safe. */
public final class DirectWriters {
  /**
   * Encrypted streams stay open from round to round, some 100 KiB each; with more partitions
   * Spark's writer, which sorts and merges, is the better one.
   */
  private static final int MOST_OPEN_STREAMS = 200;

  private final ShuffleSettings.Writer settings;
  private final boolean compress;
  private final boolean ownLz4;
  private final boolean concatenable;
  private final String checksumAlgorithm;
  private final Lz4Tools lz4;

  /** Reads what decides the format of blocks. */
  public DirectWriters(SparkConf conf, ShuffleSettings.Writer settings) {
    this.settings = settings;
    this.compress = (boolean) conf.get(package$.MODULE$.SHUFFLE_COMPRESS());
    boolean encrypt = (boolean) conf.get(package$.MODULE$.IO_ENCRYPTION_ENABLED());
    CompressionCodec codec = CompressionCodec$.MODULE$.createCodec(conf);
    this.concatenable =
        !encrypt
            && (!compress
                || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(codec));
    long blockSize = (long) conf.get(package$.MODULE$.IO_COMPRESSION_LZ4_BLOCKSIZE());
    this.ownLz4 =
        compress
            && !encrypt
            && codec.getClass() == LZ4CompressionCodec.class
            && blockSize == PartitionBuffers.LARGEST_CHUNK;
    this.lz4 = ownLz4 ? Lz4Tools.fastest() : null;
    this.checksumAlgorithm =
        (boolean) conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ENABLED())
            ? conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ALGORITHM())
            : null;
  }

  /** Whether map outputs of so many partitions are written directly. */
  public boolean suit(int partitions) {
    return settings.direct() && (concatenable || partitions <= MOST_OPEN_STREAMS);
  }

  /** A writer for one map task attempt, used by the task's own thread. */
  public <K, V> ShuffleWriter<K, V> create(
      ShuffleDependency<K, V, V> dependency,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      BlockManager blocks,
      MapOutputOpener outputs) {
    int partitions = dependency.partitioner().numPartitions();
    MapOutputTarget target =
        new MapOutputTarget(
            outputs.open(dependency.shuffleId(), mapId, partitions),
            metrics,
            checksums(partitions));
    return new DirectShuffleWriter<>(
        dependency,
        mapId,
        blocks.shuffleServerId(),
        context,
        metrics,
        target,
        encoder(blocks.serializerManager(), dependency.shuffleId(), mapId, partitions),
        settings.bufferBytes());
  }

  private PartitionEncoder encoder(
      SerializerManager serializers, int shuffle, long mapId, int partitions) {
    return ownLz4
        ? new Lz4PartitionEncoder(lz4)
        : new StreamPartitionEncoder(serializers, shuffle, mapId, partitions, concatenable);
  }

  private Checksum[] checksums(int partitions) {
    return checksumAlgorithm == null
        ? ShuffleChecksumHelper.EMPTY_CHECKSUM
        : ShuffleChecksumHelper.createPartitionChecksums(partitions, checksumAlgorithm);
  }
}
