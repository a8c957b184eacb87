// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The installed rdma-core, which tells its version in the name of the file of libibverbs. */
final class RdmaCore {
  private static final String SUBJECT = "rdma-core";
  private static final Pattern FILE = Pattern.compile("libibverbs\\.so\\.1\\.\\d+\\.(\\d+)\\.\\d+");

  /** The first version with FLUSH and ATOMIC_WRITE. */
  private static final int FLUSH_SINCE = 45;

  private final Kernel kernel;

  RdmaCore(Kernel kernel) {
    this.kernel = kernel;
  }

  /**
   * What is to be said of it.
   *
   * @param needed whether there is a card
   */
  Finding finding(String area, boolean needed) {
    Optional<Matcher> found =
        directories().stream()
            .flatMap(directory -> kernel.names(directory).stream())
            .map(FILE::matcher)
            .filter(Matcher::matches)
            .findFirst();
    if (found.isEmpty()) {
      return needed
          ? Finding.warning(
              area,
              SUBJECT,
              "not found in " + directories(),
              "install rdma-core, libibverbs1, librdmacm1 and ibverbs-providers")
          : Finding.ok(area, SUBJECT, "not installed; only provider rdmacore needs it");
    }
    String value = found.get().group(1) + " (" + found.get().group() + ")";
    return !needed || Integer.parseInt(found.get().group(1)) >= FLUSH_SINCE
        ? Finding.ok(area, SUBJECT, value)
        : Finding.warning(
            area,
            SUBJECT,
            value + ", without FLUSH and ATOMIC_WRITE",
            "install rdma-core " + FLUSH_SINCE + " or later");
  }

  /** Where distributions put it: /usr/lib64, or a directory of its own for each processor. */
  private List<String> directories() {
    Path libraries = kernel.root().resolve("usr/lib");
    if (!Files.isDirectory(libraries)) {
      return List.of("usr/lib64");
    }
    try (Stream<Path> entries = Files.list(libraries)) {
      return Stream.concat(
              Stream.of("usr/lib64", "usr/lib"),
              entries
                  .map(entry -> entry.getFileName().toString())
                  .filter(name -> name.endsWith("-linux-gnu"))
                  .sorted()
                  .map(name -> "usr/lib/" + name))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + libraries, e);
    }
  }
}
