// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import dev.verbena.jni.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A mapping of a DAX device, made durable by writing its cache lines back. */
final class DaxMapping implements Mapping {
  private final Path device;
  private final long handle;
  private boolean closed;

  DaxMapping(Path device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  @Override
  public void force(ByteBuffer piece, long offset, int length) {
    check(DaxNative.writeBack(handle, offset, length), "can't be written back");
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      check(DaxNative.unmap(handle), "can't be unmapped");
      closed = true;
    }
  }

  private void check(int result, String what) {
    if (result < 0) {
      throw new IllegalStateException(
          "the mapping of " + device + " " + what + ": " + NativeLibrary.describe(-result));
    }
  }

  @Override
  public String toString() {
    return device.toString();
  }
}
