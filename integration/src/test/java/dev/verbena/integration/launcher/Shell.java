// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.launcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a command to its end, in a given folder and environment. */
final class Shell {
  private static final int DEADLINE_SECONDS = 60;

  private Shell() {}

  /** What a command left: its exit code and the lines of both its outputs. */
  record Outcome(int exitCode, List<String> lines) {
    String lastLine() {
      return lines.get(lines.size() - 1);
    }
  }

  static Outcome run(Path folder, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("launcher", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(List.of(command) + " still runs: " + Files.readString(output));
      }
      return new Outcome(process.exitValue(), Files.readAllLines(output, StandardCharsets.UTF_8));
    } finally {
      Files.delete(output);
    }
  }
}
