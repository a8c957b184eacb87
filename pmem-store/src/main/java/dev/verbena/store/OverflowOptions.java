// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import dev.verbena.memory.DurabilityDomain;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Where a store goes on when its primary pool is full: file pools, made one at a time when needed.
 *
 * @param directory where the files are made; created if missing
 * @param name what the files are called: name-1.pool, name-2.pool and so on
 * @param fileSize bytes of each file
 * @param maxBytes bytes of all of them together
 * @param domain what published records must survive
 */
public record OverflowOptions(
    Path directory, String name, long fileSize, long maxBytes, DurabilityDomain domain) {
  /** Checks that nothing is missing. */
  public OverflowOptions {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(domain, "domain");
  }
}
