// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Runs file operations to their end in threads that are interrupted, as Spark does to kill a task:
 * a file channel would close under them. The interrupt is kept for the caller.
 */
public final class Uninterrupted {
  /** An operation on files that may be run again from its start. */
  @FunctionalInterface
  public interface Operation<T> {
    /** Runs the operation. */
    T run() throws IOException;
  }

  private Uninterrupted() {}

  /** Runs {@code operation}, again if an interrupt cut it off, and returns its result. */
  public static <T> T call(Operation<T> operation) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          return operation.run();
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
