// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

import dev.verbena.store.pool.Pool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Supplier;

/** Where a manifest's bytes are: in a pool of this process, or in a copy of somebody else's. */
public interface ManifestBytes {
  /** Bytes of the manifest. */
  long length();

  /** A word. */
  long getLong(long at);

  /** Half a word. */
  int getInt(long at);

  /** A string of {@code bytes} bytes of UTF-8. */
  String getString(long at, int bytes);

  /** Runs accesses, and throws if what they read may be undefined. */
  default <T> T guarded(Supplier<T> access) {
    return access.get();
  }

  /** A manifest in pool memory. */
  static ManifestBytes in(Pool pool, long offset, long length) {
    return new ManifestBytes() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public long getLong(long at) {
        Objects.checkFromIndexSize(at, Long.BYTES, length);
        return pool.memory().getLong(offset + at);
      }

      @Override
      public int getInt(long at) {
        Objects.checkFromIndexSize(at, Integer.BYTES, length);
        return pool.memory().getInt(offset + at);
      }

      @Override
      public String getString(long at, int bytes) {
        Objects.checkFromIndexSize(at, bytes, length);
        byte[] copy = new byte[bytes];
        pool.read(offset + at, copy, 0, bytes);
        return new String(copy, StandardCharsets.UTF_8);
      }

      @Override
      public <T> T guarded(Supplier<T> access) {
        return pool.guarded(access);
      }
    };
  }

  /** A copy of a manifest. */
  static ManifestBytes of(byte[] copy) {
    ByteBuffer words = ByteBuffer.wrap(copy).order(ByteOrder.nativeOrder());
    return new ManifestBytes() {
      @Override
      public long length() {
        return copy.length;
      }

      @Override
      public long getLong(long at) {
        return words.getLong(Math.toIntExact(at));
      }

      @Override
      public int getInt(long at) {
        return words.getInt(Math.toIntExact(at));
      }

      @Override
      public String getString(long at, int bytes) {
        return new String(copy, Math.toIntExact(at), bytes, StandardCharsets.UTF_8);
      }
    };
  }
}
