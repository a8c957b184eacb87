// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.memory.MappedMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A piece of registered memory on loan from a {@link BufferPool}, counted by reference: it starts
 * with one, {@link #retain} adds one, {@link #close} takes one, and with the last the memory goes
 * back to the pool. Counting is thread-safe; access is as {@link MappedMemory}'s. Contents are what
 * the last user left.
 */
public final class RegisteredBuffer implements AutoCloseable {
  private static final VarHandle REFERENCES;

  static {
    try {
      REFERENCES =
          MethodHandles.lookup().findVarHandle(RegisteredBuffer.class, "references", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final BufferPool pool;
  private final PoolRegion region;
  private final int block;
  private final long length;

  @SuppressWarnings("unused") // by its VarHandle
  private volatile int references = 1;

  RegisteredBuffer(BufferPool pool, PoolRegion region, int block, long length) {
    this.pool = pool;
    this.region = region;
    this.block = block;
    this.length = length;
  }

  /** Bytes asked for. */
  public long length() {
    return length;
  }

  /** The memory it is a piece of. */
  public MappedMemory memory() {
    return region.memory();
  }

  /** Its first byte within {@link #memory()}. */
  public long offset() {
    return region.offsetOf(block);
  }

  /** What work requests and peers call its first byte. */
  public long address() {
    return region.address() + offset();
  }

  /** The key for local use. */
  public int localKey() {
    return region.localKey();
  }

  /** The key that peers present; valid for the whole region that the pool carved this from. */
  public int remoteKey() {
    return region.remoteKey();
  }

  /**
   * A new view of all of it, big-endian, position 0; not to be used after the last {@link #close}.
   *
   * @throws IndexOutOfBoundsException if it is longer than an {@code int} can tell
   */
  public ByteBuffer view() {
    if (length > Integer.MAX_VALUE) {
      throw new IndexOutOfBoundsException("no view of " + length + " bytes");
    }
    return memory().slice(offset(), (int) length).order(ByteOrder.BIG_ENDIAN);
  }

  /**
   * Adds a reference.
   *
   * @throws IllegalStateException if the buffer has gone back to the pool
   */
  public RegisteredBuffer retain() {
    int now;
    do {
      now = references;
      if (now == 0) {
        throw new IllegalStateException("buffer was given back: " + this);
      }
    } while (!REFERENCES.compareAndSet(this, now, now + 1));
    return this;
  }

  /**
   * Takes a reference away.
   *
   * @throws IllegalStateException if there is none left
   */
  @Override
  public void close() {
    int now;
    do {
      now = references;
      if (now == 0) {
        throw new IllegalStateException("buffer was given back before: " + this);
      }
    } while (!REFERENCES.compareAndSet(this, now, now - 1));
    if (now == 1) {
      pool.giveBack(region, block);
    }
  }

  @Override
  public String toString() {
    return "RegisteredBuffer[" + length + " B at " + offset() + " of " + region + "]";
  }
}
