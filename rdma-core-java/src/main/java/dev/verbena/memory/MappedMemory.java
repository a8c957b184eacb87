// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Byte-addressable memory with {@code long} offsets: a mapped file or device or a direct buffer,
 * held in pieces of {@link #PIECE_SIZE} bytes since one Java buffer ends at 2 GiB.
 *
 * <p>Word accesses are in host byte order; those with ordering need a naturally aligned offset and
 * follow {@link VarHandle}'s acquire, release and volatile modes, also between processes that map
 * the same file. Bulk copies have no ordering of their own.
 *
 * <p>Thread-safe as memory is: racing plain accesses may see either value. Every access is
 * bounds-checked ({@link IndexOutOfBoundsException}). Access to a mapping whose file was truncated
 * leaves the JVM alive, reads anything, and throws {@link InternalError} now or later: ask {@link
 * #isTruncated} behind it. Access after {@link #close} is an {@link IllegalStateException} where it
 * can be told.
 */
public final class MappedMemory implements AutoCloseable {
  /** Bytes per piece: 1 GiB. Aligned words never straddle pieces, bulk copies may. */
  public static final long PIECE_SIZE = 1L << PieceMath.SHIFT;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final long size;
  private final BackingFile backing;
  private final Mapping mapping;
  private final Runnable release;
  private final boolean temporary;
  private ByteBuffer[] pieces;

  /**
   * Takes the pieces over.
   *
   * @param mapping what closing unmaps; null if that is someone else's
   * @param temporary whether closing deletes the file
   */
  MappedMemory(
      ByteBuffer[] pieces, long size, Path backingFile, Mapping mapping, boolean temporary) {
    this(pieces, size, backingFile, mapping, temporary, () -> {});
  }

  private MappedMemory(
      ByteBuffer[] pieces,
      long size,
      Path backingFile,
      Mapping mapping,
      boolean temporary,
      Runnable release) {
    this.release = release;
    this.pieces = pieces;
    this.size = size;
    this.backing = backingFile == null ? null : new BackingFile(backingFile);
    this.mapping = mapping;
    this.temporary = temporary;
  }

  /**
   * Wraps a direct buffer that someone else allocated. The buffer stays reachable through this
   * object; {@link #close} does not free it.
   *
   * @throws IllegalArgumentException if the buffer is not direct or is read-only
   */
  public static MappedMemory of(ByteBuffer direct) {
    if (!direct.isDirect() || direct.isReadOnly()) {
      throw new IllegalArgumentException("expected a writable direct buffer, got " + direct);
    }
    ByteBuffer whole = direct.slice().order(ByteOrder.nativeOrder());
    return new MappedMemory(PieceMath.split(whole), whole.capacity(), null, null, false);
  }

  /**
   * Takes over native memory of {@code size} bytes, seen through direct buffers of {@link
   * #PIECE_SIZE} bytes each, of which the last may be shorter; closing runs {@code release} once.
   */
  public static MappedMemory of(ByteBuffer[] pieces, long size, Runnable release) {
    return new MappedMemory(pieces.clone(), size, null, null, false, release);
  }

  /** Length in bytes. */
  public long size() {
    return size;
  }

  /** The file behind the mapping, if there is one that another process could map too. */
  public Optional<Path> backingFile() {
    return Optional.ofNullable(backing).map(BackingFile::path);
  }

  /**
   * Whether the file is shorter than the mapping now: then what this thread read since it was asked
   * before is undefined, and the error that was held back for it (see {@link LateFault}) has been
   * taken. A system call; false of direct buffers, and of devices, which nobody can truncate.
   */
  public boolean isTruncated() {
    try {
      return lookIfTruncated();
    } catch (InternalError e) {
      // Held back until here. It is of this memory only if that is truncated.
      if (lookIfTruncated()) {
        return true;
      }
      throw e;
    }
  }

  private boolean lookIfTruncated() {
    boolean truncated = backing != null && backing.isShorterThan(size);
    if (truncated) {
      LateFault.collect();
    }
    return truncated;
  }

  /** Whether offset 0 is at a multiple of 8 in memory, as word accesses with ordering need. */
  public boolean isWordAligned() {
    return piece(0).alignmentOffset(0, Long.BYTES) == 0;
  }

  /** Plain load of a host-order long. */
  public long getLong(long offset) {
    return piece(offset).getLong(index(offset));
  }

  /** Plain store of a host-order long. */
  public void putLong(long offset, long value) {
    piece(offset).putLong(index(offset), value);
  }

  /** Plain load of a host-order int. */
  public int getInt(long offset) {
    return piece(offset).getInt(index(offset));
  }

  /** Plain store of a host-order int. */
  public void putInt(long offset, int value) {
    piece(offset).putInt(index(offset), value);
  }

  /** Load-acquire of an aligned long. */
  public long getLongAcquire(long offset) {
    return (long) LONG.getAcquire(piece(offset), index(offset));
  }

  /** Store-release of an aligned long. */
  public void putLongRelease(long offset, long value) {
    LONG.setRelease(piece(offset), index(offset), value);
  }

  /** Volatile load of an aligned long. */
  public long getLongVolatile(long offset) {
    return (long) LONG.getVolatile(piece(offset), index(offset));
  }

  /** Volatile store of an aligned long: a release store with a full fence behind it. */
  public void putLongVolatile(long offset, long value) {
    LONG.setVolatile(piece(offset), index(offset), value);
  }

  /** Atomic compare-and-set of an aligned long, volatile ordering. */
  public boolean compareAndSetLong(long offset, long expected, long value) {
    return LONG.compareAndSet(piece(offset), index(offset), expected, value);
  }

  /** Atomic compare-and-exchange of an aligned long; returns what was there. */
  public long compareAndExchangeLong(long offset, long expected, long value) {
    return (long) LONG.compareAndExchange(piece(offset), index(offset), expected, value);
  }

  /** Atomic fetch-and-add of an aligned long; returns what was there. */
  public long getAndAddLong(long offset, long delta) {
    return (long) LONG.getAndAdd(piece(offset), index(offset), delta);
  }

  /** Load-acquire of an aligned int. */
  public int getIntAcquire(long offset) {
    return (int) INT.getAcquire(piece(offset), index(offset));
  }

  /** Store-release of an aligned int. */
  public void putIntRelease(long offset, int value) {
    INT.setRelease(piece(offset), index(offset), value);
  }

  /** Copies {@code length} bytes out into an array. */
  public void get(long offset, byte[] target, int from, int length) {
    Objects.checkFromIndexSize(from, length, target.length);
    Objects.checkFromIndexSize(offset, length, size);
    int done = 0;
    while (done < length) {
      int run = PieceMath.run(offset + done, length - done);
      piece(offset + done).get(index(offset + done), target, from + done, run);
      done += run;
    }
  }

  /** Copies {@code length} bytes in from an array. */
  public void put(long offset, byte[] source, int from, int length) {
    Objects.checkFromIndexSize(from, length, source.length);
    Objects.checkFromIndexSize(offset, length, size);
    int done = 0;
    while (done < length) {
      int run = PieceMath.run(offset + done, length - done);
      piece(offset + done).put(index(offset + done), source, from + done, run);
      done += run;
    }
  }

  /** Copies {@code length} bytes out to an absolute index of a buffer; its position stays. */
  public void get(long offset, ByteBuffer target, int targetIndex, int length) {
    Objects.checkFromIndexSize(offset, length, size);
    int done = 0;
    while (done < length) {
      int run = PieceMath.run(offset + done, length - done);
      target.put(targetIndex + done, piece(offset + done), index(offset + done), run);
      done += run;
    }
  }

  /** Copies {@code length} bytes in from an absolute index of a buffer; its position stays. */
  public void put(long offset, ByteBuffer source, int sourceIndex, int length) {
    Objects.checkFromIndexSize(offset, length, size);
    int done = 0;
    while (done < length) {
      int run = PieceMath.run(offset + done, length - done);
      piece(offset + done).put(index(offset + done), source, sourceIndex + done, run);
      done += run;
    }
  }

  /** Copies {@code length} bytes from here into another memory; the ranges must not overlap. */
  public void copyTo(long offset, MappedMemory target, long targetOffset, long length) {
    Objects.checkFromIndexSize(offset, length, size);
    Objects.checkFromIndexSize(targetOffset, length, target.size);
    long done = 0;
    while (done < length) {
      int run = PieceMath.run(offset + done, length - done);
      run = PieceMath.run(targetOffset + done, run);
      target
          .piece(targetOffset + done)
          .put(index(targetOffset + done), piece(offset + done), index(offset + done), run);
      done += run;
    }
  }

  /** Sets {@code length} bytes to zero. */
  public void zero(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, size);
    long done = 0;
    while (done < length) {
      int run = PieceMath.run(offset + done, Math.min(length - done, PieceMath.ZEROS.capacity()));
      piece(offset + done).put(index(offset + done), PieceMath.ZEROS, 0, run);
      done += run;
    }
  }

  /**
   * A view of a range that lies within one piece, for scatter and gather system calls. Allocates:
   * not for the path of a single operation.
   *
   * @throws IndexOutOfBoundsException if the range leaves the memory or straddles two pieces
   */
  public ByteBuffer slice(long offset, int length) {
    Objects.checkFromIndexSize(offset, length, size);
    if (PieceMath.run(offset, length) != length) {
      throw new IndexOutOfBoundsException(
          "range " + offset + "+" + length + " straddles two pieces of " + PIECE_SIZE);
    }
    return piece(offset).slice(index(offset), length).order(ByteOrder.nativeOrder());
  }

  /**
   * Makes a range durable: writes its pages back to their file, msync(2), or its cache lines where
   * the mapping is synchronous or of a device. No effect on direct buffers.
   */
  public void force(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, size);
    long done = 0;
    while (done < length) {
      int run = PieceMath.run(offset + done, length - done);
      if (mapping != null) {
        mapping.force(piece(offset + done), offset + done, run);
      }
      done += run;
    }
  }

  /**
   * Unmaps, and deletes a temporary file. No access, by any thread, may run or follow: callers keep
   * that by their own protocol (deregister first, then close). Closing twice has no effect.
   */
  @Override
  public synchronized void close() {
    ByteBuffer[] old = pieces;
    pieces = PieceMath.CLOSED;
    if (mapping != null) {
      mapping.close();
    }
    if (temporary && old != PieceMath.CLOSED) {
      MemoryMapper.delete(backing.path());
    }
    if (backing != null) {
      backing.close();
    }
    if (old != PieceMath.CLOSED) {
      release.run();
    }
  }

  private ByteBuffer piece(long offset) {
    int number = (int) (offset >>> PieceMath.SHIFT);
    ByteBuffer[] now = pieces;
    if (number < 0 || number >= now.length) {
      throw outOfReach(offset, now);
    }
    return now[number];
  }

  private RuntimeException outOfReach(long offset, ByteBuffer[] now) {
    if (now == PieceMath.CLOSED) {
      return new IllegalStateException("memory is closed: " + this);
    }
    return new IndexOutOfBoundsException("offset " + offset + " outside memory of " + size);
  }

  private static int index(long offset) {
    return PieceMath.index(offset);
  }

  @Override
  public String toString() {
    String what = mapping instanceof DaxMapping device ? device.toString() : "direct";
    return "MappedMemory[" + (backing == null ? what : backing.path()) + ", " + size + " B]";
  }
}
