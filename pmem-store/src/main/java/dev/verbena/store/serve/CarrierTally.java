// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counts what was read, by carrier. Thread-safe. */
final class CarrierTally {
  /** What opening a range of a mapped segment counts as. */
  static final String MAPPED = "mapped";

  private record Tally(LongAdder ranges, LongAdder bytes) {}

  private final Map<String, Tally> tallies = new ConcurrentHashMap<>();

  void add(String carrier, long ranges, long bytes) {
    Tally tally =
        tallies.computeIfAbsent(carrier, name -> new Tally(new LongAdder(), new LongAdder()));
    tally.ranges().add(ranges);
    tally.bytes().add(bytes);
  }

  CarrierCounts counts() {
    return new CarrierCounts(
        tallies.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    entry ->
                        new CarrierCounts.Count(
                            entry.getValue().ranges().sum(), entry.getValue().bytes().sum()))));
  }
}
