// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.PoolKind;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What the far end of {@code bench persist} is.
 *
 * @param devices where both ends' devices keep their segments, in memory
 * @param pools where its pool is
 * @param kind what the pool is
 * @param domain what is asked of it
 * @param waiting how the conventional path's server waits
 */
record AppendSetting(
    Path devices, Path pools, PoolKind kind, DurabilityDomain domain, VerbsEcho.Waiting waiting) {

  /** Whether times of parts are taken: where the disk is part of it, clocks cost nothing. */
  boolean isTimed() {
    return kind == PoolKind.FILE;
  }

  /** What a case in it is called. */
  String benchCase(int length) {
    return String.format(
        Locale.ROOT,
        "append_%dB_%s_%s",
        length,
        kind.name().toLowerCase(Locale.ROOT),
        waiting == VerbsEcho.Waiting.POLL ? "polling" : "sleeping");
  }

  /** As a line that {@link #of} reads; no path of a run has a blank. */
  String line() {
    return String.join(
        " ", devices.toString(), pools.toString(), kind.name(), domain.name(), waiting.name());
  }

  static AppendSetting of(String[] words, int from) {
    return new AppendSetting(
        Path.of(words[from]),
        Path.of(words[from + 1]),
        PoolKind.valueOf(words[from + 2]),
        DurabilityDomain.valueOf(words[from + 3]),
        VerbsEcho.Waiting.valueOf(words[from + 4]));
  }
}
