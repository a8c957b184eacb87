// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Direct buffers and memory that native code reads and writes by address. */
final class NativeMemory {
  private NativeMemory() {}

  /** A zeroed buffer in host byte order. */
  static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /** Where a direct buffer begins. */
  static long address(ByteBuffer buffer) {
    return Native.address(buffer);
  }

  /**
   * Where a range of memory begins, which a device must see in one piece.
   *
   * @throws VerbsException INVALID_ARGUMENT if its pieces of 1 GiB do not lie behind each other
   */
  static long address(MappedMemory memory, long offset, long length) {
    long first = address(memory.slice(offset, 1));
    long piece = MappedMemory.PIECE_SIZE;
    for (long at = (offset / piece + 1) * piece; at < offset + length; at += piece) {
      if (address(memory.slice(at, 1)) != first + (at - offset)) {
        throw new VerbsException(
            VerbsException.Code.INVALID_ARGUMENT,
            "a device can't register "
                + memory
                + " across "
                + at
                + ": its mapping is not contiguous; register each GiB by itself");
      }
    }
    return first;
  }

  /** Maps zeroed memory that is contiguous however long it is; closing unmaps. */
  static MappedMemory map(long bytes) {
    long address = Native.map(bytes);
    if (address < 0) {
      throw Failures.of((int) address, "mapping " + bytes + " bytes");
    }
    int count = (int) ((bytes + MappedMemory.PIECE_SIZE - 1) / MappedMemory.PIECE_SIZE);
    ByteBuffer[] pieces = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      long from = i * MappedMemory.PIECE_SIZE;
      pieces[i] =
          Native.buffer(address + from, Math.min(MappedMemory.PIECE_SIZE, bytes - from))
              .order(ByteOrder.nativeOrder());
    }
    return MappedMemory.of(
        pieces, bytes, () -> Failures.check(Native.unmap(address, bytes), "unmapping memory"));
  }
}
