// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import dev.verbena.store.MapOutputWriter;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.function.IntFunction;
import org.apache.spark.shuffle.api.SingleSpillShuffleMapOutputWriter;

/** Takes over a map output that Spark's writer left in one spill file, block after block. */
final class StoreSpillTransfer implements SingleSpillShuffleMapOutputWriter {
  private static final int BUFFER = 256 << 10;

  private final IntFunction<MapOutputWriter> outputs;

  /**
   * Creates a transfer.
   *
   * @param outputs opens the map output for a number of partitions
   */
  StoreSpillTransfer(IntFunction<MapOutputWriter> outputs) {
    this.outputs = outputs;
  }

  @Override
  public void transferMapSpillFile(File spill, long[] lengths, long[] checksums)
      throws IOException {
    try (MapOutputWriter output = outputs.apply(lengths.length);
        InputStream in = Files.newInputStream(spill.toPath())) {
      byte[] buffer = new byte[BUFFER];
      for (int partition = 0; partition < lengths.length; partition++) {
        copy(in, output, partition, lengths[partition], buffer);
      }
      long[] kept = output.commit(checksums).partitionLengths();
      System.arraycopy(kept, 0, lengths, 0, lengths.length);
    }
    Files.delete(spill.toPath());
  }

  private static void copy(
      InputStream in, MapOutputWriter output, int partition, long length, byte[] buffer)
      throws IOException {
    long left = length;
    while (left > 0) {
      int got = in.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (got < 0) {
        throw new EOFException(
            "spill of " + output.key() + " ends " + left + " bytes early in block " + partition);
      }
      output.append(partition, buffer, 0, got);
      left -= got;
    }
  }
}
