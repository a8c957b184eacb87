// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The JVMs of the executors that this process has started, by executor id. */
final class ExecutorProcesses {
  private static final String BACKEND = "ExecutorBackend";
  private static final Pattern END_OF_WORD = Pattern.compile("\0");
  private static final String ID = "--executor-id";

  private ExecutorProcesses() {}

  /** Those that live now. */
  static Map<String, ProcessHandle> find() {
    Map<String, ProcessHandle> found = new TreeMap<>();
    ProcessHandle.current()
        .descendants()
        .forEach(
            process -> {
              List<String> command = command(process.pid());
              int option = command.indexOf(ID);
              if (option >= 0 && command.stream().anyMatch(word -> word.endsWith(BACKEND))) {
                found.put(command.get(option + 1), process);
              }
            });
    return found;
  }

  /** Not from the handle, which knows a page of it, and a class path alone is longer. */
  private static List<String> command(long pid) {
    try {
      Path line = Path.of("/proc", Long.toString(pid), "cmdline");
      return END_OF_WORD.splitAsStream(Files.readString(line)).toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new IntegrationException("cannot read the command line of process " + pid, e);
    }
  }
}
