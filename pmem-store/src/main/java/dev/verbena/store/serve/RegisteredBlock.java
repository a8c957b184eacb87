// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RegisteredBuffer;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A fetched range in registered buffers that it shares with others. */
final class RegisteredBlock implements FetchedBlock {
  private final BlockRange range;
  private final String carrier;
  private final long length;
  private final List<RegisteredBuffer> held;
  private final List<ByteBuffer> views;
  private final AtomicInteger references = new AtomicInteger(1);

  /** Takes a reference on each of {@code buffers}, which {@code views} are parts of. */
  RegisteredBlock(
      BlockRange range,
      String carrier,
      long length,
      List<RegisteredBuffer> buffers,
      List<ByteBuffer> views) {
    this.range = range;
    this.carrier = carrier;
    this.length = length;
    this.held = List.copyOf(buffers);
    this.views = List.copyOf(views);
    held.forEach(RegisteredBuffer::retain);
  }

  @Override
  public BlockRange range() {
    return range;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public String carrier() {
    return carrier;
  }

  @Override
  public List<ByteBuffer> buffers() {
    checkHeld();
    return views.stream().map(ByteBuffer::asReadOnlyBuffer).toList();
  }

  @Override
  public InputStream open() {
    return new BufferInputStream(this);
  }

  @Override
  public FetchedBlock retain() {
    if (references.getAndUpdate(count -> count > 0 ? count + 1 : count) <= 0) {
      throw released();
    }
    return this;
  }

  @Override
  public void release() {
    int before = references.getAndUpdate(count -> count > 0 ? count - 1 : count);
    if (before <= 0) {
      throw released();
    }
    if (before == 1) {
      held.forEach(RegisteredBuffer::close);
    }
  }

  /**
   * Checks that the bytes are still its own.
   *
   * @throws IllegalStateException if the last reference was given back
   */
  void checkHeld() {
    if (references.get() <= 0) {
      throw released();
    }
  }

  private IllegalStateException released() {
    return new IllegalStateException("released before: " + range);
  }
}
