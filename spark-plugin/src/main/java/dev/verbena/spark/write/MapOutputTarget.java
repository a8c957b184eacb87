// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputWriter;
import java.util.zip.Checksum;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;

/**
 * Appends encoded blocks to a map output, with Spark's checksum of each and its write metrics. One
 * thread.
 */
final class MapOutputTarget implements AutoCloseable {
  private static final long[] NO_CHECKSUMS = {};

  private final MapOutputWriter output;
  private final ShuffleWriteMetricsReporter metrics;
  private final Checksum[] checksums;
  private int partition;
  private boolean appended;

  /**
   * Creates a target.
   *
   * @param checksums one for each partition; none if Spark's checksums are off
   */
  MapOutputTarget(
      MapOutputWriter output, ShuffleWriteMetricsReporter metrics, Checksum[] checksums) {
    this.output = output;
    this.metrics = metrics;
    this.checksums = checksums;
  }

  /** Lets the next bytes start at partition 0 again. */
  void startRound() {
    if (appended) {
      output.startRound();
    }
  }

  /** Where the next bytes go: a partition not below the last one of the round. */
  void turnTo(int next) {
    partition = next;
  }

  void append(byte[] source, int offset, int length) {
    if (length == 0) {
      return;
    }
    if (checksums.length > 0) {
      checksums[partition].update(source, offset, length);
    }
    long start = System.nanoTime();
    output.append(partition, source, offset, length);
    metrics.incWriteTime(System.nanoTime() - start);
    metrics.incBytesWritten(length);
    appended = true;
  }

  MapOutputCommit commit() {
    long[] values = checksums.length == 0 ? NO_CHECKSUMS : new long[checksums.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = checksums[i].getValue();
    }
    long start = System.nanoTime();
    MapOutputCommit commit = output.commit(values);
    metrics.incWriteTime(System.nanoTime() - start);
    return commit;
  }

  @Override
  public void close() {
    output.close();
  }
}
