// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the kernel tells of this process in /proc and /sys: proc(5).
 *
 * @param root where those are mounted: "/" but in tests
 */
record Kernel(Path root) {
  /** What no limit is told as. */
  static final long UNLIMITED = Long.MAX_VALUE;

  private static final Pattern LIMIT = Pattern.compile("(.+?)\\s{2,}(\\S+)\\s+(\\S+)(\\s.*)?");

  /** A soft limit of /proc/self/limits by its name there; empty if there is none of that name. */
  OptionalLong limit(String name) {
    for (String line : lines("proc/self/limits")) {
      Matcher matcher = LIMIT.matcher(line);
      if (matcher.matches() && matcher.group(1).equals(name)) {
        return OptionalLong.of(number(matcher.group(2)));
      }
    }
    return OptionalLong.empty();
  }

  /** Names of the entries of a directory below the root, sorted; none if it does not exist. */
  List<String> names(String directory) {
    Path path = root.resolve(directory);
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + path, e);
    }
  }

  /** A number that stands alone in a file, as sysfs has them; empty if there is none. */
  OptionalLong value(String file) {
    return lines(file).stream()
        .limit(1)
        .filter(line -> line.matches("\\d{1,18}"))
        .mapToLong(Long::parseLong)
        .findFirst();
  }

  /** The first line of a file; empty if there is none. */
  Optional<String> text(String file) {
    Path path = root.resolve(file);
    if (!Files.isReadable(path)) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(path)) {
      return lines.findFirst().map(String::strip);
    } catch (IOException | UncheckedIOException e) {
      // What an attribute of sysfs has no value for can be opened and not read.
      return Optional.empty();
    }
  }

  /** Mount points with the option dax: file systems on persistent memory. */
  List<String> daxMounts() {
    return lines("proc/mounts").stream()
        .map(line -> line.split(" "))
        .filter(fields -> fields.length > 3 && (fields[3] + ",").matches(".*\\bdax[=,].*"))
        .filter(fields -> !fields[3].contains("dax=never"))
        .map(fields -> fields[1])
        .toList();
  }

  private List<String> lines(String file) {
    Path path = root.resolve(file);
    if (!Files.isReadable(path)) {
      return List.of();
    }
    try {
      return Files.readAllLines(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + path, e);
    }
  }

  private static long number(String text) {
    return text.equals("unlimited") ? UNLIMITED : Long.parseLong(text);
  }
}
