// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Makes durable what {@link MappedMemory#force} does not: a file's length and blocks, and its name.
 * fsync(2), which POSIX asks for on the file and on the directory each.
 */
public final class FileSync {
  private FileSync() {}

  /** Makes a file's bytes, length and blocks durable. */
  public static void file(Path file) throws IOException {
    sync(file, StandardOpenOption.WRITE);
  }

  /** Makes the names in a directory durable. */
  public static void directory(Path directory) throws IOException {
    sync(directory, StandardOpenOption.READ);
  }

  private static void sync(Path path, StandardOpenOption access) throws IOException {
    Uninterrupted.call(
        () -> {
          try (FileChannel channel = FileChannel.open(path, access)) {
            channel.force(true);
            return path;
          }
        });
  }
}
