// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;

/**
 * The files that a crash left.
 *
 * @param files their bytes, by name
 * @param locks whether lock files are there, which nobody holds
 * @param unsafe what is known of bytes that the next process finds and a loss of power would take
 */
public record CrashImage(
    SortedMap<String, byte[]> files, boolean locks, SortedMap<String, SimulatedFile> unsafe) {

  /** Writes them below a directory. */
  public void write(Path root) {
    files.forEach(
        (name, bytes) -> {
          Path file = root.resolve(name);
          try {
            Files.createDirectories(file.getParent());
            Files.write(file, bytes);
            if (locks) {
              Files.createFile(file.resolveSibling(file.getFileName() + ".lock"));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
