// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.Supplier;
import org.apache.spark.network.util.AbstractFileRegion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends blocks of the own store over Spark's connection, piece by piece. One thread at a time. */
final class StoredBlockRegion extends AbstractFileRegion {
  private static final Logger LOG = LoggerFactory.getLogger(StoredBlockRegion.class);
  private static final int PIECE = 64 << 10;

  private final long size;
  private final Supplier<InputStream> open;
  private final ByteBuffer piece;
  private InputStream in;
  private long transferred;

  StoredBlockRegion(long size, Supplier<InputStream> open) {
    this.size = size;
    this.piece = ByteBuffer.allocate((int) Math.min(PIECE, size)).limit(0);
    this.open = open;
  }

  @Override
  public long position() {
    return 0;
  }

  @Override
  public long transferred() {
    return transferred;
  }

  @Override
  public long count() {
    return size;
  }

  @Override
  public long transferTo(WritableByteChannel target, long position) throws IOException {
    if (position != transferred) {
      throw new IllegalArgumentException("at " + transferred + ", asked for " + position);
    }
    if (transferred == size) {
      return 0;
    }
    if (!piece.hasRemaining()) {
      fill();
    }
    int written = target.write(piece);
    transferred += written;
    return written;
  }

  private void fill() throws IOException {
    if (in == null) {
      in = open.get();
    }
    int got = in.readNBytes(piece.array(), 0, (int) Math.min(piece.capacity(), size - transferred));
    if (got == 0) {
      throw new IOException("block ends at " + transferred + " of " + size);
    }
    piece.position(0).limit(got);
  }

  @Override
  protected void deallocate() {
    if (in != null) {
      try {
        in.close();
      } catch (IOException failure) {
        LOG.warn("Closing a sent block", failure);
      }
    }
  }
}
