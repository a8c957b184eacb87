// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What this process has open at a moment, from proc(5): sockets, pipes, polls and files. The JVM's
 * own files are left out: it opens jars, and what it reads of the kernel, when it first needs them.
 *
 * @param targets what each descriptor is, sockets and the like without their number
 * @param leftOut files that are not counted
 */
public record OpenFiles(List<String> targets, Set<String> leftOut) {
  private static final List<String> OF_THE_KERNEL = List.of("/proc/", "/sys/");
  private static final List<String> OF_CLASSES = List.of(".jar", "/lib/modules");

  /** Those that are open now. */
  public static OpenFiles now() {
    List<String> targets = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
        try {
          targets.add(target(descriptor));
        } catch (IOException closedMeanwhile) {
          // Such as the one that lists the others.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("can't list descriptors", e);
    }
    targets.removeIf(OpenFiles::isOfTheJvm);
    return new OpenFiles(targets, Set.of());
  }

  /** The same, for comparisons in which a file does not count that others open when they like. */
  public OpenFiles but(Path file) {
    return new OpenFiles(targets, Set.of(file.toString()));
  }

  /** What is open here and was not open then. */
  public List<String> since(OpenFiles then) {
    List<String> left = new ArrayList<>(targets);
    then.targets.forEach(left::remove);
    left.removeAll(then.leftOut);
    return left;
  }

  /** Waits until nothing is open that is not in here. */
  public void awaitReturn() {
    Await.until(
        () -> "the end of what was opened: " + now().since(this),
        () -> now().since(this).isEmpty());
  }

  private static String target(Path descriptor) throws IOException {
    return Files.readSymbolicLink(descriptor).toString().replaceFirst(":\\[\\d+]$", "");
  }

  private static boolean isOfTheJvm(String target) {
    return OF_THE_KERNEL.stream().anyMatch(target::startsWith)
        || OF_CLASSES.stream().anyMatch(target::endsWith);
  }
}
