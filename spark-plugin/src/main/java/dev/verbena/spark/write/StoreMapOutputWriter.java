// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import dev.verbena.store.MapOutputWriter;
import java.io.OutputStream;
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter;
import org.apache.spark.shuffle.api.ShufflePartitionWriter;
import org.apache.spark.shuffle.api.metadata.MapOutputCommitMessage;

/** Where Spark's own writers put a map output: into the store instead of a file. One thread. */
final class StoreMapOutputWriter implements ShuffleMapOutputWriter {
  private static final int BUFFER = 32 << 10;

  private final MapOutputWriter output;

  /** Shared by the partitions, which come one after the other. */
  private final byte[] buffer = new byte[BUFFER];

  private int buffered;
  private int current;

  StoreMapOutputWriter(MapOutputWriter output) {
    this.output = output;
  }

  @Override
  public ShufflePartitionWriter getPartitionWriter(int partition) {
    flush();
    current = partition;
    return new PartitionWriter();
  }

  @Override
  public MapOutputCommitMessage commitAllPartitions(long[] checksums) {
    flush();
    return MapOutputCommitMessage.of(output.commit(checksums).partitionLengths());
  }

  @Override
  public void abort(Throwable error) {
    output.abort();
  }

  private void put(byte[] source, int offset, int length) {
    if (length > BUFFER - buffered) {
      flush();
    }
    if (length > BUFFER) {
      output.append(current, source, offset, length);
    } else {
      System.arraycopy(source, offset, buffer, buffered, length);
      buffered += length;
    }
  }

  private void flush() {
    if (buffered > 0) {
      output.append(current, buffer, 0, buffered);
      buffered = 0;
    }
  }

  private final class PartitionWriter implements ShufflePartitionWriter {
    private final PartitionStream stream = new PartitionStream();

    @Override
    public OutputStream openStream() {
      return stream;
    }

    @Override
    public long getNumBytesWritten() {
      return stream.count;
    }
  }

  private final class PartitionStream extends OutputStream {
    private final byte[] one = new byte[1];
    private long count;

    @Override
    public void write(int value) {
      one[0] = (byte) value;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      put(source, offset, length);
      count += length;
    }
  }
}
