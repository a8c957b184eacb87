// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.store.serve.FetchedBlock;
import io.netty.buffer.Unpooled;
import io.netty.handler.stream.ChunkedStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.network.buffer.ManagedBuffer;

/** A fetched block as Spark's buffer; its references are the block's. */
final class FetchedBuffer extends ManagedBuffer {
  private final FetchedBlock block;

  FetchedBuffer(FetchedBlock block) {
    this.block = block;
  }

  @Override
  public long size() {
    return block.length();
  }

  @Override
  public ByteBuffer nioByteBuffer() {
    List<ByteBuffer> parts = block.buffers();
    if (parts.size() == 1) {
      return parts.get(0).duplicate();
    }
    ByteBuffer whole = ByteBuffer.allocate(Math.toIntExact(block.length()));
    parts.forEach(part -> whole.put(part.duplicate()));
    return whole.flip();
  }

  @Override
  public InputStream createInputStream() {
    return block.open();
  }

  @Override
  public ManagedBuffer retain() {
    block.retain();
    return this;
  }

  @Override
  public ManagedBuffer release() {
    block.release();
    return this;
  }

  @Override
  public Object convertToNetty() {
    return Unpooled.wrappedBuffer(block.buffers().toArray(ByteBuffer[]::new));
  }

  @Override
  public Object convertToNettyForSsl() {
    return new ChunkedStream(createInputStream());
  }
}
