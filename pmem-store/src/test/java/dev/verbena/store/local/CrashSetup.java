// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.crash.PersistenceDomain.Model;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Which store is crashed.
 *
 * @param model what a crash takes
 * @param kept whether its pools are to be found by the next
 */
record CrashSetup(Model model, boolean kept) {
  static final long POOL_BYTES = 128 << 10;

  private static final int FILES = 2;

  /** The most pools that a store has. */
  static final int POOLS = 1 + FILES;

  /** One small pool, then two in files. */
  StoreOptions options(Path root) {
    TierOptions first = TierOptions.memory(root.resolve("m"), POOL_BYTES, POOL_BYTES);
    TierOptions second = TierOptions.file(root.resolve("f/f"), POOL_BYTES, FILES * POOL_BYTES);
    if (model == Model.POWER) {
      first =
          TierOptions.file(root.resolve("m"), POOL_BYTES, POOL_BYTES)
              .withDomain(DurabilityDomain.POWER);
      second = second.withDomain(DurabilityDomain.POWER);
    }
    StoreOptions options =
        kept ? StoreOptions.of(first.kept(), second.kept()) : StoreOptions.of(first, second);
    return options.withCloseDeadline(Duration.ofMillis(1));
  }
}
