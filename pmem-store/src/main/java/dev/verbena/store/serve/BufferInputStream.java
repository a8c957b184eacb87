// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/** A fetched range as a stream, for as long as somebody holds the range. One thread. */
final class BufferInputStream extends InputStream {
  private final RegisteredBlock block;
  private final List<ByteBuffer> buffers;
  private boolean closed;
  private int current;

  BufferInputStream(RegisteredBlock block) {
    this.block = block;
    this.buffers = block.buffers();
  }

  @Override
  public int read() {
    ByteBuffer buffer = next();
    return buffer == null ? -1 : buffer.get() & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    ByteBuffer buffer = next();
    if (buffer == null) {
      return -1;
    }
    int run = Math.min(length, buffer.remaining());
    buffer.get(target, offset, run);
    return run;
  }

  @Override
  public int available() {
    long left = 0;
    for (int i = current; i < buffers.size() && !closed; i++) {
      left += buffers.get(i).remaining();
    }
    return (int) Math.min(left, Integer.MAX_VALUE);
  }

  /** The buffer to go on with; null at the end. */
  private ByteBuffer next() {
    if (closed) {
      return null;
    }
    block.checkHeld();
    while (current < buffers.size() && !buffers.get(current).hasRemaining()) {
      current++;
    }
    return current < buffers.size() ? buffers.get(current) : null;
  }

  @Override
  public void close() {
    closed = true;
  }
}
