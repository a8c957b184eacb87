// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Who has a lock of flock(2) on a file, as /proc/locks has it: proc_locks(5). Only ever told. */
final class FlockHolder {
  private static final Path LOCKS = Path.of("/proc/locks");

  // "1: FLOCK  ADVISORY  WRITE 4711 00:06:123 0 EOF"
  private static final int KIND = 1;
  private static final int PROCESS = 4;
  private static final int INODE = 5;

  private FlockHolder() {}

  /** "process N", or that it is not known. */
  static String of(Path file) {
    try {
      long inode = (long) Files.getAttribute(file, "unix:ino");
      return holder(Files.readAllLines(LOCKS), inode)
          .map(
              process ->
                  process == ProcessHandle.current().pid()
                      ? "this process (" + process + ")"
                      : "process " + process)
          .orElse("a process that " + LOCKS + " does not tell");
    } catch (IOException e) {
      return "an unknown process (" + e.getMessage() + ")";
    }
  }

  static Optional<Long> holder(List<String> locks, long inode) {
    return locks.stream()
        .map(line -> line.trim().split("\\s+"))
        .filter(fields -> fields.length > INODE && fields[KIND].equals("FLOCK"))
        .filter(fields -> fields[INODE].endsWith(":" + inode))
        .map(fields -> fields[PROCESS])
        .filter(process -> process.matches("[1-9]\\d{0,9}"))
        .map(Long::valueOf)
        .findFirst();
  }
}
