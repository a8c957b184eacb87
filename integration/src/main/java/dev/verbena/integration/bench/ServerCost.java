// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What a process has used so far, from proc(5).
 *
 * @param cpuSeconds in user mode and in the kernel, counted in hundredths
 * @param switches context switches of all its threads, voluntary and not
 */
record ServerCost(double cpuSeconds, long switches) {
  static ServerCost of(long pid) {
    long switches = 0;
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path task : tasks) {
        switches += switchesOf(task.resolve("status"));
      }
    } catch (IOException e) {
      throw new IntegrationException("cannot read the threads of process " + pid, e);
    }
    return new ServerCost(CpuWatch.cpuSecondsOf(pid), switches);
  }

  private static long switchesOf(Path status) throws IOException {
    String text;
    try {
      text = Files.readString(status);
    } catch (NoSuchFileException e) {
      // The thread ended meanwhile, and took what it had switched with it.
      return 0;
    }
    return text.lines()
        .filter(line -> line.contains("ctxt_switches:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .sum();
  }

  ServerCost minus(ServerCost earlier) {
    return new ServerCost(cpuSeconds - earlier.cpuSeconds, switches - earlier.switches);
  }
}
