// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What the threads of a process have used so far, from proc(5).
 *
 * @param cpuSeconds on processors, from schedstat, which counts nanoseconds
 * @param switches context switches, voluntary and not
 */
record ServerCost(double cpuSeconds, long switches) {
  private static final double NANOS_PER_SECOND = 1e9;

  static ServerCost of(long pid) {
    long nanos = 0;
    long switches = 0;
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path task : tasks) {
        nanos += nanosOf(task);
        switches += switchesOf(task);
      }
    } catch (IOException e) {
      throw new IntegrationException("cannot read the threads of process " + pid, e);
    }
    return new ServerCost(nanos / NANOS_PER_SECOND, switches);
  }

  private static long nanosOf(Path task) throws IOException {
    String times = read(task.resolve("schedstat"));
    return times.isEmpty() ? 0 : Long.parseLong(times.substring(0, times.indexOf(' ')));
  }

  private static long switchesOf(Path task) throws IOException {
    return read(task.resolve("status"))
        .lines()
        .filter(line -> line.contains("ctxt_switches:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .sum();
  }

  /** Empty for a thread that ended meanwhile, and took what it had used with it. */
  private static String read(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      if (Files.isDirectory(file.getParent())) {
        throw e;
      }
      return "";
    }
  }

  ServerCost minus(ServerCost earlier) {
    return new ServerCost(cpuSeconds - earlier.cpuSeconds, switches - earlier.switches);
  }
}
