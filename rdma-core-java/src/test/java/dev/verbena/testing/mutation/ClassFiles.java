// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The compiled classes of a module, its tests not among them. */
public final class ClassFiles {
  private static final String SUFFIX = ".class";

  private final Path root;

  private ClassFiles(Path root) {
    this.root = root;
  }

  /** Those among which {@code one} is. */
  public static ClassFiles with(Class<?> one) {
    try {
      return new ClassFiles(
          Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The bytes of a class; empty if it is none of these. */
  public Optional<byte[]> bytes(String className) {
    Path file = root.resolve(className.replace('.', '/') + SUFFIX);
    return Files.exists(file) ? Optional.of(read(file)) : Optional.empty();
  }

  /** Names of the classes of a package, nested ones too, in order. */
  public List<String> namesIn(String packageName) {
    Path directory = root.resolve(packageName.replace('.', '/'));
    try (Stream<Path> found = Files.list(directory)) {
      return found
          .map(path -> path.getFileName().toString())
          .filter(name -> name.endsWith(SUFFIX))
          .map(name -> packageName + "." + name.substring(0, name.length() - SUFFIX.length()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
