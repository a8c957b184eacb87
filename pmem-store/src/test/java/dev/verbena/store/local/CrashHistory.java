// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.crash.PersistenceDomain;
import dev.verbena.store.pool.PoolImage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was asked of a store so far, and so what must be there after a crash, or may be. */
final class CrashHistory {
  /** Every key that was ever used. */
  final Set<MapOutputKey> used = new HashSet<>();

  /** Commits that returned, and were not removed: block by block. */
  final Map<MapOutputKey, byte[][]> committed = new HashMap<>();

  /** Commits that did not return yet. */
  final Map<MapOutputKey, byte[][]> entering = new HashMap<>();

  /** Committed, and a removal did not return yet. */
  final Set<MapOutputKey> leaving = new HashSet<>();

  /** Entries of the log whose append returned, in their order. */
  final List<byte[]> logged = new ArrayList<>();

  /** An entry whose append did not return yet, or null. */
  byte[] logging;

  /** A trim of the whole log did not return yet. */
  boolean trimming;

  /** The highest sequence that was ever published, by pool. */
  private final Map<String, Long> sequences = new HashMap<>();

  /** The store is being opened: its index is not there yet. */
  boolean opening;

  /** No operation is under way. */
  boolean quiet;

  /** The publish words of damaged records stand until the store was opened again. */
  boolean damageStands;

  /** The same for the one who opens what a crash of the store in {@code domain} left. */
  CrashHistory crashed(PersistenceDomain domain) {
    CrashHistory next = new CrashHistory();
    next.used.addAll(used);
    next.committed.putAll(committed);
    next.entering.putAll(entering);
    next.leaving.addAll(leaving);
    next.logged.addAll(logged);
    next.logging = logging;
    next.trimming = trimming;
    next.sequences.putAll(sequencesWith(domain));
    next.opening = true;
    return next;
  }

  /** Opening showed these: they stay. */
  void opened(Set<MapOutputKey> visible, List<byte[]> entries) {
    logged.clear();
    logged.addAll(entries);
    logging = null;
    trimming = false;
    Map<MapOutputKey, byte[][]> all = new HashMap<>(entering);
    all.putAll(committed);
    all.keySet().retainAll(visible);
    committed.clear();
    committed.putAll(all);
    entering.clear();
    leaving.clear();
    damageStands = false;
    opening = false;
  }

  /** Whether an output must be found. */
  boolean mustBeThere(MapOutputKey key) {
    return committed.containsKey(key) && !leaving.contains(key);
  }

  /** Whether an output may be found. */
  boolean mayBeThere(MapOutputKey key) {
    return committed.containsKey(key) || entering.containsKey(key);
  }

  byte[][] blocksOf(MapOutputKey key) {
    return committed.containsKey(key) ? committed.get(key) : entering.get(key);
  }

  /** The highest sequences, with those of a store that ran in {@code domain}. */
  Map<String, Long> sequencesWith(PersistenceDomain domain) {
    Map<String, Long> all = new HashMap<>(sequences);
    for (PersistenceDomain.Released released : domain.released()) {
      if (released.value() != 0
          && PoolImage.isPublishWord(released.fileBytes(), released.offset())) {
        all.merge(released.file(), PoolImage.sequenceIn(released.value()), Math::max);
      }
    }
    return all;
  }
}
