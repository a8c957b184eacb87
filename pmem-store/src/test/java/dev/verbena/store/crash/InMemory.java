// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Thousands of small pools need no disk, if there is a file system in memory. */
final class InMemory implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "verbena-crash-";

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    return Files.isWritable(MEMORY)
        ? Files.createTempDirectory(MEMORY, PREFIX)
        : Files.createTempDirectory(PREFIX);
  }
}
