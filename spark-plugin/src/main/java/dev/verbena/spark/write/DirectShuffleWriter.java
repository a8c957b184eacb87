// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.ExposedBufferByteArrayOutputStream;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Writes a map task's records straight into the store: serialized into partition buffers, encoded
 * and appended in rounds, without sort, spill, merge or file. For dependencies with a relocatable
 * serializer and no map-side combine. Used by the task's thread.
 *
 * @param <K> key
 * @param <V> value
 */
final class DirectShuffleWriter<K, V> extends ShuffleWriter<K, V> {
  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();
  private static final int RECORD_BUFFER = 64 << 10;

  private final long mapId;
  private final BlockManagerId location;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private final Partitioner partitioner;
  private final RowBasedChecksum[] rowChecksums;
  private final MapOutputTarget target;
  private final PartitionEncoder encoder;
  private final PartitionBuffers buffers;
  private final ExposedBufferByteArrayOutputStream record =
      new ExposedBufferByteArrayOutputStream(RECORD_BUFFER);
  private final SerializationStream serializing;

  private long unreported;
  private boolean last;
  private long[] partitionLengths;

  DirectShuffleWriter(
      ShuffleDependency<K, V, V> dependency,
      long mapId,
      BlockManagerId location,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      MapOutputTarget target,
      PartitionEncoder encoder,
      long budget) {
    this.mapId = mapId;
    this.location = location;
    this.context = context;
    this.metrics = metrics;
    this.partitioner = dependency.partitioner();
    this.rowChecksums = dependency.rowBasedChecksums();
    this.target = target;
    this.encoder = encoder;
    this.buffers =
        new PartitionBuffers(
            context.taskMemoryManager(), partitioner.numPartitions(), budget, this::flushRound);
    this.serializing = dependency.serializer().newInstance().serializeStream(record);
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws IOException {
    try {
      while (records.hasNext()) {
        add(records.next());
      }
      last = true;
      flushRound();
      partitionLengths = target.commit().partitionLengths();
    } finally {
      context.taskMetrics().incPeakExecutionMemory(buffers.peak());
      buffers.free();
      if (partitionLengths == null) {
        encoder.abandon();
      }
      target.close();
    }
  }

  private void add(Product2<K, V> entry) throws IOException {
    K key = entry._1();
    V value = entry._2();
    int partition = partitioner.getPartition(key);
    record.reset();
    serializing.<Object>writeKey(key, ANY);
    serializing.<Object>writeValue(value, ANY);
    serializing.flush();
    buffers.insert(partition, record.getBuf(), record.size());
    if (rowChecksums.length > 0) {
      rowChecksums[partition].update(key, value);
    }
    unreported++;
  }

  private void flushRound() throws IOException {
    target.startRound();
    int partitions = partitioner.numPartitions();
    for (int partition = 0; partition < partitions; partition++) {
      target.turnTo(partition);
      encoder.encode(partition, buffers, last, target::append);
    }
    metrics.incRecordsWritten(unreported);
    unreported = 0;
  }

  @Override
  public Option<MapStatus> stop(boolean success) {
    target.close();
    buffers.free();
    if (!success) {
      return Option.empty();
    }
    if (partitionLengths == null) {
      throw new IllegalStateException("stop(true) without a successful write of map " + mapId);
    }
    return Option.apply(
        MapStatus$.MODULE$.apply(
            location,
            partitionLengths,
            mapId,
            RowBasedChecksum.getAggregatedChecksumValue(rowChecksums)));
  }

  @Override
  public long[] getPartitionLengths() {
    return partitionLengths;
  }
}
