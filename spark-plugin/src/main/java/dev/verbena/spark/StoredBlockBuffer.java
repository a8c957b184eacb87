// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.store.StoredMapOutput;
import io.netty.handler.stream.ChunkedStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * Blocks of the own store as Spark's buffer, for its block transfer. Spark does not always give
 * such buffers back, so it pins nothing; each stream of it does, until it is closed.
 */
final class StoredBlockBuffer extends ManagedBuffer {
  private final long size;
  private final Supplier<InputStream> open;

  /**
   * Bytes that a stream brings.
   *
   * @param open opens the stream anew
   */
  StoredBlockBuffer(long size, Supplier<InputStream> open) {
    this.size = size;
    this.open = open;
  }

  /** Consecutive blocks of a map output. */
  static StoredBlockBuffer of(Supplier<StoredMapOutput> output, int first, int end) {
    try (StoredMapOutput now = output.get()) {
      return new StoredBlockBuffer(
          now.rangeLength(first, end),
          () -> {
            try (StoredMapOutput then = output.get()) {
              return then.open(first, end);
            }
          });
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    try (InputStream in = open.get()) {
      return ByteBuffer.wrap(in.readNBytes(Math.toIntExact(size)));
    }
  }

  @Override
  public InputStream createInputStream() {
    return open.get();
  }

  @Override
  public ManagedBuffer retain() {
    return this;
  }

  @Override
  public ManagedBuffer release() {
    return this;
  }

  @Override
  public Object convertToNetty() {
    return new StoredBlockRegion(size, open);
  }

  @Override
  public Object convertToNettyForSsl() {
    return new ChunkedStream(open.get());
  }
}
