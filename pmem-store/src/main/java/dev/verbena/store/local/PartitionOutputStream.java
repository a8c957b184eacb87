// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputWriter;
import java.io.OutputStream;

/** A partition as a stream. One thread. */
final class PartitionOutputStream extends OutputStream {
  private final MapOutputWriter writer;
  private final int partition;
  private final byte[] single = new byte[1];

  PartitionOutputStream(MapOutputWriter writer, int partition) {
    this.writer = writer;
    this.partition = partition;
  }

  @Override
  public void write(int b) {
    single[0] = (byte) b;
    writer.append(partition, single, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    writer.append(partition, source, offset, length);
  }
}
