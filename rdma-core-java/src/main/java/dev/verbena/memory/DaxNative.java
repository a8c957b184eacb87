// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import dev.verbena.jni.NativeLibrary;
import java.nio.ByteBuffer;

/**
 * The functions of {@code libverbena.so} for DAX devices, once {@link NativeLibrary} has loaded it.
 * Devices and mappings are named by handles: one that was ended already is answered EBADF. A
 * negative result is an errno.
 */
final class DaxNative {
  private DaxNative() {}

  /** Opens and locks a device; its size and alignment go into {@code facts}. */
  static native long open(String path, long[] facts);

  static native int close(long device);

  /** Maps a device from its beginning on; where goes into {@code address}. */
  static native long map(long device, long bytes, long[] address);

  static native int unmap(long mapping);

  static native int writeBack(long mapping, long offset, long bytes);

  static native ByteBuffer buffer(long address, long bytes);
}
