// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Names one map output: the blocks that one attempt of one map task wrote. Two attempts of a task
 * have two map attempt ids, so their outputs never meet.
 *
 * @param application the application's id, 1 to {@link #MAX_APPLICATION_BYTES} bytes of UTF-8
 * @param shuffle the shuffle within the application
 * @param mapAttempt the map task attempt, unique within the application
 */
public record MapOutputKey(String application, int shuffle, long mapAttempt) {
  /** Longest application id, in bytes of UTF-8. */
  public static final int MAX_APPLICATION_BYTES = 1024;

  /** Most bytes of UTF-8 that one char of a string can take. */
  private static final int UTF8_WORST = 3;

  /** Checks the application id. */
  public MapOutputKey {
    Objects.requireNonNull(application, "application");
    if (application.isEmpty() || application.length() > MAX_APPLICATION_BYTES / UTF8_WORST) {
      checkBytes(application.getBytes(StandardCharsets.UTF_8).length);
    }
  }

  private static void checkBytes(int bytes) {
    if (bytes < 1 || bytes > MAX_APPLICATION_BYTES) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "application id of " + bytes + " bytes, expected 1 to " + MAX_APPLICATION_BYTES);
    }
  }
}
