// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A second JVM with this one's class path, spoken to by lines on its standard input and output. Not
 * thread-safe.
 */
public final class ChildJvm implements AutoCloseable {
  private static final String END = "(end of output)";

  private final Process process;
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

  @SuppressWarnings("JdkObsolete") // the pump appends while the test reads
  private final StringBuffer errors = new StringBuffer();

  private ChildJvm(Process process) {
    this.process = process;
    pump("child-output", process.getInputStream(), output::add, () -> output.add(END));
    pump("child-errors", process.getErrorStream(), this::noteError, () -> {});
  }

  /** Starts {@code main} with the arguments. */
  public static ChildJvm start(Class<?> main, String... arguments) {
    return start(List.of(), main, arguments);
  }

  /** As {@link #start}, in a process that may have only so many files open. */
  public static ChildJvm startLimited(int descriptors, Class<?> main, String... arguments) {
    String script = "ulimit -n " + descriptors + "; exec \"$@\"";
    return start(List.of("sh", "-c", script, "sh"), main, arguments);
  }

  private static ChildJvm start(List<String> shell, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(shell);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dverbena.test.patience=" + Await.PATIENCE.toSeconds());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    try {
      return new ChildJvm(new ProcessBuilder(command).start());
    } catch (IOException e) {
      throw new UncheckedIOException("could not start " + command, e);
    }
  }

  /** The next line that the child prints. */
  public String nextLine() {
    try {
      String line = output.poll(Await.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null || line.equals(END)) {
        throw new AssertionError("no line from the child " + process.pid() + ": " + errors);
      }
      return line;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting for the child", e);
    }
  }

  /** Sends a line to the child. */
  public void tell(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("child " + process.pid() + " is gone: " + errors, e);
    }
  }

  /** Kills it as SIGKILL does, and waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** Sends it a signal by name, as kill(1) does. */
  public void signal(String name) {
    try {
      new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException("no shell to send " + name, e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while sending " + name, e);
    }
  }

  /** Waits until SIGSTOP has stopped it, every thread. */
  public void awaitStopped() {
    Await.until("stop of the child: " + errors, this::isStopped);
  }

  private boolean isStopped() {
    Path tasks = Path.of("/proc", String.valueOf(process.pid()), "task");
    try (Stream<Path> threads = Files.list(tasks)) {
      return threads.allMatch(thread -> state(thread) == 'T');
    } catch (IOException e) {
      throw new UncheckedIOException("child " + process.pid() + " is gone: " + errors, e);
    }
  }

  private static char state(Path thread) {
    try {
      String line = Files.readString(thread.resolve("stat"));
      return line.charAt(line.lastIndexOf(')') + 2);
    } catch (IOException e) {
      // It ended between listing and reading.
      return 'T';
    }
  }

  /** Whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for its end and returns the exit code. */
  public int awaitExit() {
    Await.until("end of the child: " + errors, () -> !process.isAlive());
    return process.exitValue();
  }

  /** What it wrote to its standard error so far. */
  public String errors() {
    return errors.toString();
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      kill();
    }
  }

  private void noteError(String line) {
    errors.append(line).append('\n');
  }

  private static void pump(String name, InputStream from, LineSink sink, Runnable end) {
    Thread thread =
        new Thread(
            () -> {
              try (BufferedReader reader =
                  new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                  sink.accept(line);
                }
              } catch (IOException e) {
                sink.accept(e.toString());
              } finally {
                end.run();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private interface LineSink {
    void accept(String line);
  }
}
