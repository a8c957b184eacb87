// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * The mappings of one file, unmapped together. The JDK has two ways to unmap at a time of one's
 * choice: foreign memory (JEP 454) from 22 on, {@code sun.misc.Unsafe} below, which later JDKs warn
 * of.
 */
abstract class FileMapping implements Mapping {
  private static final boolean FOREIGN_MEMORY = Runtime.version().feature() >= 22;

  /** One without mappings yet. */
  static FileMapping create() {
    return FOREIGN_MEMORY ? new ArenaMapping() : new CleanerMapping();
  }

  /** Maps a range of at most 1 GiB for reading and writing. */
  abstract ByteBuffer map(FileChannel channel, MapMode mode, long from, long length)
      throws IOException;

  /** msync(2) of the pages, or the JDK's own write-back where the mapping is synchronous. */
  @Override
  public final void force(ByteBuffer piece, long offset, int length) {
    ((MappedByteBuffer) piece).force(PieceMath.index(offset), length);
  }

  /** What a handle threw, as far as its method declares it. */
  static IOException failure(String what, Throwable thrown) throws IOException {
    if (thrown instanceof IOException declared) {
      throw declared;
    }
    if (thrown instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (thrown instanceof Error error) {
      throw error;
    }
    return new IOException(what, thrown);
  }
}
