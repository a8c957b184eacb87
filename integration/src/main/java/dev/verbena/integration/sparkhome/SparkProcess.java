// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import dev.verbena.integration.Await;
import dev.verbena.integration.IntegrationException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A JVM of Spark (a driver, a master, a worker) and the JVMs that it started. Its output goes to a
 * log file. It is ended, by process id and together with its descendants, on close and when this
 * JVM ends.
 *
 * <p>Thread-safe.
 */
public final class SparkProcess implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final long POLL_NANOS = Duration.ofMillis(20).toNanos();
  private static final int TAIL_LINES = 30;

  private final String name;
  private final Process process;
  private final Path log;
  private final Thread atExit = new Thread(this::end);

  private SparkProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a JVM on a home's class path with the options that Spark's scripts would give it.
   *
   * @param arguments JVM options, main class and its arguments
   * @param classPath what stands on the class path before Spark
   * @param showOutput whether standard output goes to this process's; else it goes to the log, as
   *     standard error always does
   */
  static SparkProcess start(
      String name,
      SparkHome home,
      List<Path> classPath,
      List<String> arguments,
      Map<String, String> environment,
      Path log,
      boolean showOutput) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
    command.add("-cp");
    StringBuilder path = new StringBuilder();
    classPath.forEach(entry -> path.append(entry).append(File.pathSeparatorChar));
    command.add(path.append(home.classPath()).toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    home.prepare(builder.environment());
    builder.environment().putAll(environment);
    builder.directory(home.root().toFile());
    ProcessBuilder.Redirect toLog = ProcessBuilder.Redirect.appendTo(log.toFile());
    builder.redirectError(toLog);
    builder.redirectOutput(showOutput ? ProcessBuilder.Redirect.INHERIT : toLog);
    try {
      SparkProcess started = new SparkProcess(name, builder.start(), log);
      Runtime.getRuntime().addShutdownHook(started.atExit);
      return started;
    } catch (IOException e) {
      throw new IntegrationException("cannot start " + name + ": " + command.get(0), e);
    }
  }

  /** What it was called when it was started. */
  public String name() {
    return name;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Where its output goes. */
  public Path log() {
    return log;
  }

  /** The live executors that this process, or a worker inside it, has started. */
  public List<ProcessHandle> executors() {
    return process
        .descendants()
        .filter(child -> child.info().commandLine().orElse("").contains("ExecutorBackend"))
        .toList();
  }

  /**
   * Waits for the end of the process.
   *
   * @return its exit code
   * @throws IntegrationException if it still runs after the time given
   */
  public int awaitExit(Duration within) {
    if (!endsWithin(within)) {
      throw new IntegrationException(
          name + " still runs after " + within.toSeconds() + " s; log: " + log);
    }
    return process.exitValue();
  }

  /** Waits for the end of the process, and tells whether it came in time. */
  public boolean endsWithin(Duration within) {
    try {
      return process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IntegrationException("interrupted while waiting for the end of " + name, e);
    }
  }

  /** Waits until a text stands in the log; an end of the process ends the wait with an error. */
  public void awaitLog(String text, Duration within) {
    Await.until(
        within,
        name + " has logged '" + text + "'",
        () -> {
          boolean alive = process.isAlive();
          if (readLog().contains(text)) {
            return true;
          }
          if (!alive) {
            throw new IntegrationException(name + " ended early:\n" + tail());
          }
          return false;
        });
  }

  /** All that it has written so far. */
  public String readLog() {
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new IntegrationException("cannot read " + log, e);
    }
  }

  /** The last lines of the log, for an error message. */
  public String tail() {
    List<String> lines = readLog().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // This JVM is shutting down, and the hook has run or is about to: nothing is left to remove.
      return;
    }
  }

  private void end() {
    Set<ProcessHandle> family = new LinkedHashSet<>();
    family.add(process.toHandle());
    process.descendants().forEach(family::add);
    process.destroy();
    long deadline = System.nanoTime() + GRACE.toNanos();
    for (ProcessHandle member : family) {
      while (member.isAlive() && System.nanoTime() - deadline < 0) {
        LockSupport.parkNanos(POLL_NANOS);
      }
      member.destroyForcibly();
    }
  }
}
