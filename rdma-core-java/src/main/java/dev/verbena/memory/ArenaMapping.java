// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/** Maps into a shared {@code java.lang.foreign.Arena}: JDK 22 on, called by handle from Java 17. */
final class ArenaMapping extends FileMapping {
  private static final MethodHandle OPEN;
  private static final MethodHandle MAP;
  private static final MethodHandle AS_BUFFER;
  private static final MethodHandle CLOSE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Class<?> arena = Class.forName("java.lang.foreign.Arena");
      Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
      MethodType mapType =
          MethodType.methodType(segment, MapMode.class, long.class, long.class, arena);
      OPEN = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
      MAP = lookup.findVirtual(FileChannel.class, "map", mapType);
      AS_BUFFER =
          lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
      CLOSE = lookup.findVirtual(arena, "close", MethodType.methodType(void.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Object arena;

  @Override
  ByteBuffer map(FileChannel channel, MapMode mode, long from, long length) throws IOException {
    try {
      if (arena == null) {
        arena = OPEN.invoke();
      }
      Object segment = MAP.invoke(channel, mode, from, length, arena);
      return (ByteBuffer) AS_BUFFER.invoke(segment);
    } catch (Throwable e) {
      throw failure("can't map " + length + " bytes from " + from, e);
    }
  }

  @Override
  public void close() {
    if (arena == null) {
      return;
    }
    try {
      CLOSE.invoke(arena);
    } catch (Throwable e) {
      throw new IllegalStateException("could not unmap", e);
    }
    arena = null;
  }
}
