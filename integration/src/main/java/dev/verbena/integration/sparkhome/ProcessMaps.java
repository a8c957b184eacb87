// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The files in memory that processes have mapped. Thread-safe. */
public final class ProcessMaps {
  private static final String MEMORY = "/dev/shm/";

  private final Set<String> files = ConcurrentHashMap.newKeySet();

  /** Of no process yet. */
  public ProcessMaps() {}

  /** Adds what a live process has mapped now. */
  public void note(long pid) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "maps"))) {
        int start = line.indexOf(MEMORY);
        if (start >= 0) {
          files.add(line.substring(start));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the mappings of process " + pid, e);
    }
  }

  /** Their paths. */
  public Set<String> files() {
    return Set.copyOf(files);
  }
}
