// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The length of the file behind a mapping, asked by descriptor as long as there is one to be had.
 * Not a channel, which an interrupted thread would close. Thread-safe but for {@link #close}.
 */
final class BackingFile implements AutoCloseable {
  private final Path path;
  private volatile RandomAccessFile file;
  private volatile boolean unlinked;

  BackingFile(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  /**
   * Whether it is shorter than {@code size} bytes; false if it was unlinked before it was asked.
   */
  boolean isShorterThan(long size) {
    try {
      RandomAccessFile open = file == null ? open() : file;
      if (open != null) {
        return open.length() < size;
      }
      return !unlinked && Files.size(path) < size;
    } catch (IOException e) {
      throw new UncheckedIOException("the length of " + path + " is unknown", e);
    }
  }

  private synchronized RandomAccessFile open() {
    if (file == null && !unlinked) {
      try {
        file = new RandomAccessFile(path.toFile(), "r");
      } catch (FileNotFoundException e) {
        // Nobody can truncate what has no name. What has one may only lack a free descriptor.
        unlinked = Files.notExists(path);
      }
    }
    return file;
  }

  @Override
  public synchronized void close() {
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException("can't close " + path, e);
      }
      file = null;
    }
    unlinked = true;
  }
}
