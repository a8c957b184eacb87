// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * {@code sun.misc.Unsafe.copyMemory}, the fastest copy that Java has; by handle, since javac warns
 * of it.
 */
final class RawCopy {
  private static final MethodHandle COPY;
  private static final MethodHandle GET_LONG;
  private static final long ADDRESS_FIELD;

  static {
    try {
      Class<?> type = Class.forName("sun.misc.Unsafe");
      Field instance = type.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      Object unsafe = instance.get(null);
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      COPY =
          lookup
              .findVirtual(
                  type,
                  "copyMemory",
                  MethodType.methodType(void.class, long.class, long.class, long.class))
              .bindTo(unsafe);
      GET_LONG =
          lookup
              .findVirtual(
                  type, "getLong", MethodType.methodType(long.class, Object.class, long.class))
              .bindTo(unsafe);
      ADDRESS_FIELD =
          (long)
              type.getMethod("objectFieldOffset", Field.class)
                  .invoke(unsafe, Buffer.class.getDeclaredField("address"));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private RawCopy() {}

  /** Where a direct buffer begins. */
  static long address(ByteBuffer direct) {
    try {
      return (long) GET_LONG.invoke(direct, ADDRESS_FIELD);
    } catch (Throwable e) {
      throw new IllegalStateException("no address of " + direct, e);
    }
  }

  /** Copies between two addresses, unchecked. */
  static void copy(long from, long to, long bytes) {
    try {
      COPY.invokeExact(from, to, bytes);
    } catch (Throwable e) {
      throw new IllegalStateException("copy of " + bytes + " bytes", e);
    }
  }
}
