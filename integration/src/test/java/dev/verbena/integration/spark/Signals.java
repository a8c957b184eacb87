// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.Await;
import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What tasks in executors and the driver tell each other, as files in a folder: each signal is a
 * name and a text, and is given once.
 */
final class Signals implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Duration WITHIN = Duration.ofMinutes(5);

  private final String folder;

  Signals(Path folder) {
    this.folder = folder.toString();
  }

  /** Gives a signal; false if it was given before. */
  boolean give(String name, String text) {
    Path file = Path.of(folder, name);
    try {
      Path written = Files.createTempFile(Path.of(folder), ".", ".new");
      Files.writeString(written, text);
      try {
        Files.createLink(file, written);
        return true;
      } catch (FileAlreadyExistsException e) {
        return false;
      } finally {
        Files.delete(written);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("signal " + file, e);
    }
  }

  boolean isGiven(String name) {
    return Files.exists(Path.of(folder, name));
  }

  /** Waits for a signal and returns its text. */
  String await(String name) {
    Await.until(WITHIN, "signal " + name + " in " + folder, () -> isGiven(name));
    return text(Path.of(folder, name));
  }

  /** Waits for so many signals that begin alike; what follows in their names, with their texts. */
  SortedMap<String, String> awaitAll(String prefix, int count) {
    Await.until(
        WITHIN, count + " signals " + prefix + " in " + folder, () -> all(prefix).size() >= count);
    return all(prefix);
  }

  private SortedMap<String, String> all(String prefix) {
    SortedMap<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .forEach(
              file ->
                  found.put(file.getFileName().toString().substring(prefix.length()), text(file)));
      return found;
    } catch (IOException e) {
      throw new IntegrationException("cannot list " + folder, e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
