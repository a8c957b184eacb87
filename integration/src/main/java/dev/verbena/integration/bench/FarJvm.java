// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The other JVM of a benchmark, run by {@link FarMain}. For one thread. */
final class FarJvm implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String END = "end";

  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private FarJvm(Process process) {
    this.process = process;
    Thread reader = new Thread(this::pump, "far-jvm");
    reader.setDaemon(true);
    reader.start();
  }

  static FarJvm start() {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            FarMain.class.getName());
    try {
      return new FarJvm(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new IntegrationException("cannot start the far JVM", e);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Sends a command and returns its answer. */
  String ask(String command) {
    tell(command);
    return answer();
  }

  void beginAnswering(String echo, long first, int count) {
    expect("ready", ask(FarMain.ANSWER + " " + echo + " " + first + " " + count));
  }

  /** Waits for the last answer; the bytes that the far thread allocated. */
  long endAnswering() {
    return Long.parseLong(answer());
  }

  private void tell(String command) {
    try {
      process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new IntegrationException("the far JVM is gone before '" + command + "'", e);
    }
  }

  String answer() {
    try {
      String line = lines.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null || line.equals(END)) {
        throw new IntegrationException("no answer from the far JVM: " + line);
      }
      return line;
    } catch (InterruptedException e) {
      throw new IntegrationException("interrupted while waiting for the far JVM", e);
    }
  }

  static void expect(String expected, String answer) {
    if (!expected.equals(answer)) {
      throw new IntegrationException("the far JVM answered " + answer + ", not " + expected);
    }
  }

  private void pump() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add(e.toString());
    }
    lines.add(END);
  }

  /** Lets it end by itself, and kills it if it does not. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
