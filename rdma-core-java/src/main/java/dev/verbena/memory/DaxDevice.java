// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import dev.verbena.jni.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A device of persistent memory without a file system, {@code /dev/daxX.Y}: Linux's device-DAX. It
 * can be mapped from its beginning on, in multiples of its alignment, and neither read nor written
 * otherwise. {@link MappedMemory#force} of its mappings writes cache lines back, which is durable
 * against loss of power.
 *
 * <p>Who opened it has it alone until it is closed or the process ends, by flock(2) on the device's
 * node: nobody else gets it through that node. A container that has a node of its own for the same
 * device, as container engines make them, is not kept out.
 *
 * <p>Needs the native library, neither libibverbs nor a NIC. Thread-safe.
 */
public final class DaxDevice implements AutoCloseable {
  // Values of Linux's errno that have a meaning of their own here.
  private static final int ENXIO = 6;
  private static final int EAGAIN = 11;
  private static final int EACCES = 13;
  private static final int ENODEV = 19;
  private static final int ENOTSUP = 95;

  private final Path path;
  private final long handle;
  private final long size;
  private final long alignment;
  private boolean closed;

  private DaxDevice(Path path, long handle, long size, long alignment) {
    this.path = path;
    this.handle = handle;
    this.size = size;
    this.alignment = alignment;
  }

  /** Why no device can be used here, whether there is one or not; empty if one can. */
  public static Optional<String> unavailabilityCause() {
    return NativeLibrary.problem();
  }

  /**
   * Opens a device, unless another has it.
   *
   * @return empty if another has it, be it another part of this process
   * @throws IOException if it is no DAX device, or can't be used
   */
  public static Optional<DaxDevice> tryOpen(Path path) throws IOException {
    Optional<String> cause = unavailabilityCause();
    if (cause.isPresent()) {
      throw new IOException(
          path + " can't be used as a DAX device without libverbena.so: " + cause.get());
    }
    long[] facts = new long[2];
    long handle = DaxNative.open(path.toString(), facts);
    if (handle == -EAGAIN) {
      return Optional.empty();
    }
    if (handle < 0) {
      throw new IOException(path + " can't be used as a DAX device: " + reason((int) -handle));
    }
    return Optional.of(new DaxDevice(path, handle, facts[0], facts[1]));
  }

  private static String reason(int error) {
    return switch (error) {
      case ENODEV -> "it is none";
      case ENXIO ->
          "the kernel does not tell of its size and align in /sys/dev/char, expected Linux 5.10 or"
              + " later";
      case ENOTSUP ->
          "this processor has none of the instructions clwb, clflushopt and clflush, by which"
              + " stores are made durable";
      case EACCES -> NativeLibrary.describe(error) + "; this user must read and write it";
      default -> NativeLibrary.describe(error);
    };
  }

  /** Its node. */
  public Path path() {
    return path;
  }

  /** Bytes of the device. */
  public long size() {
    return size;
  }

  /** Bytes that the length of a mapping is a multiple of: 2 MiB mostly. */
  public long alignment() {
    return alignment;
  }

  /**
   * Maps its first bytes with MAP_SYNC. The mapping outlives {@link #close}.
   *
   * @param bytes a multiple of the alignment, at most the size
   * @throws IllegalArgumentException if it is not
   * @throws IOException if the kernel refuses
   */
  public MappedMemory map(long bytes) throws IOException {
    if (bytes <= 0 || bytes > size || bytes % alignment != 0) {
      throw new IllegalArgumentException(
          bytes
              + " bytes of "
              + path
              + " can't be mapped, expected a multiple of "
              + alignment
              + ", at most "
              + size);
    }
    long[] address = new long[1];
    long made = DaxNative.map(handle, bytes, address);
    if (made < 0) {
      throw new IOException(
          bytes + " bytes of " + path + " can't be mapped: " + NativeLibrary.describe((int) -made));
    }
    DaxMapping mapping = new DaxMapping(path, made);
    try {
      return new MappedMemory(pieces(address[0], bytes), bytes, null, mapping, false);
    } catch (RuntimeException | Error e) {
      mapping.close();
      throw e;
    }
  }

  private static ByteBuffer[] pieces(long address, long bytes) {
    int count = (int) ((bytes + MappedMemory.PIECE_SIZE - 1) / MappedMemory.PIECE_SIZE);
    ByteBuffer[] pieces = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      long from = i * MappedMemory.PIECE_SIZE;
      pieces[i] =
          DaxNative.buffer(address + from, Math.min(MappedMemory.PIECE_SIZE, bytes - from))
              .order(ByteOrder.nativeOrder());
    }
    return pieces;
  }

  /** Lets others have it. Closing twice has no effect. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    int result = DaxNative.close(handle);
    if (result < 0) {
      throw new IllegalStateException(
          path + " can't be closed: " + NativeLibrary.describe(-result));
    }
    closed = true;
  }

  @Override
  public String toString() {
    return "DaxDevice[" + path + ", " + size + " B]";
  }
}
