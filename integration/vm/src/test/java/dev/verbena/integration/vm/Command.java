// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import dev.verbena.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A program of the guest, started with its output in a file. Closing it ends it. Not thread-safe.
 */
final class Command implements AutoCloseable {
  private final List<String> words;
  private final Path output;
  private final Process process;

  private Command(List<String> words) throws IOException {
    this.words = words;
    output = Files.createTempFile("command", ".out");
    process =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    process.getOutputStream().close();
  }

  /** Starts a program, for its end to be awaited later. */
  static Command start(String... words) {
    try {
      return new Command(List.of(words));
    } catch (IOException e) {
      throw new UncheckedIOException("could not start " + List.of(words), e);
    }
  }

  /** Runs a program that must succeed; what it printed. */
  static String run(String... words) {
    try (Command command = start(words)) {
      return command.succeed();
    }
  }

  /**
   * Waits until this program, a server, is ready, and runs its client; both must succeed, and a
   * failure tells what the server printed as well. What the client printed.
   */
  String serve(String ready, BooleanSupplier isReady, String... client) {
    try {
      Await.until(ready, isReady);
      String printed = run(client);
      succeed();
      return printed;
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; " + words + " printed: " + printed(), e);
    }
  }

  /** Waits until the program has ended, which must be with 0; what it printed. */
  String succeed() {
    try {
      if (!process.waitFor(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(words + " still runs after " + Await.PATIENCE + ": " + printed());
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting for " + words, e);
    }
    if (process.exitValue() != 0) {
      throw new AssertionError(words + " ended with " + process.exitValue() + ": " + printed());
    }
    return printed();
  }

  /** What the program has printed so far. */
  String printed() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException("could not read what " + words + " printed", e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      Files.deleteIfExists(output);
    } catch (IOException e) {
      throw new UncheckedIOException("could not delete the output of " + words, e);
    }
  }
}
