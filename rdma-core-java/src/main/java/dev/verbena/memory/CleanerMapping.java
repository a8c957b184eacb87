// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;

/** Unmaps by {@code Unsafe.invokeCleaner}, the supported way below JDK 22. */
final class CleanerMapping extends FileMapping {
  private static final MethodHandle INVOKE_CLEANER = invokeCleaner();

  private final List<ByteBuffer> buffers = new ArrayList<>();

  @Override
  ByteBuffer map(FileChannel channel, MapMode mode, long from, long length) throws IOException {
    ByteBuffer buffer = channel.map(mode, from, length);
    buffers.add(buffer);
    return buffer;
  }

  @Override
  public void close() {
    for (ByteBuffer buffer : buffers) {
      try {
        INVOKE_CLEANER.invoke(buffer);
      } catch (Throwable e) {
        throw new IllegalStateException("could not unmap " + buffer, e);
      }
    }
    buffers.clear();
  }

  /** By handle, since javac warns of sun.misc.Unsafe. */
  private static MethodHandle invokeCleaner() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      return MethodHandles.lookup()
          .findVirtual(unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
          .bindTo(instance.get(null));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
