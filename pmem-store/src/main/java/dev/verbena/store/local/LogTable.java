// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The entries of all logs, by their ordinals, and the runs whose writers are gone and in which
 * nobody has looked for entries yet. Thread-safe.
 */
final class LogTable {
  /**
   * A log.
   *
   * @param applicationHash the application, as a hash of its id
   * @param log its number, which the application chooses
   */
  record Key(long applicationHash, int log) {}

  /** A log's entries, and the ordinals that were not given out yet. Of the table alone. */
  static final class Log {
    private final TreeMap<Long, LogEntry> entries = new TreeMap<>();
    private final List<Runnable> unsettled = new ArrayList<>();
    private long next;
    private boolean removed;

    private Log(long next) {
      this.next = next;
    }
  }

  private final Map<Key, Log> logs = new HashMap<>();

  /**
   * Where a log begins: behind all that were removed. Entries of one of them may still stand in a
   * run, and recovery would take one for another of the same ordinal.
   */
  private long nextOfRemoved;

  /** A log, which begins if there is none. */
  synchronized Log open(Key key) {
    return logs.computeIfAbsent(key, absent -> new Log(nextOfRemoved));
  }

  /** The first of {@code count} ordinals in a row that nobody else gets. */
  synchronized long takeOrdinals(Log log, long count) {
    long first = log.next;
    log.next += count;
    return first;
  }

  /** Adds an entry; false if its place is taken, or if the log was removed. */
  synchronized boolean put(Log log, LogEntry entry) {
    if (log.removed) {
      return false;
    }
    log.next = Math.max(log.next, entry.ordinal() + 1);
    return log.entries.putIfAbsent(entry.ordinal(), entry) == null;
  }

  /** Keeps what finds the entries of a run, for who wants to see them; false if it was removed. */
  synchronized boolean putUnsettled(Log log, Runnable settling) {
    if (log.removed) {
      return false;
    }
    log.unsettled.add(settling);
    return true;
  }

  /** Takes what finds further entries of a log. */
  synchronized List<Runnable> takeUnsettled(Key key) {
    Log log = logs.get(key);
    if (log == null) {
      return List.of();
    }
    List<Runnable> taken = List.copyOf(log.unsettled);
    log.unsettled.clear();
    return taken;
  }

  /** Those of a log now, in their order. */
  synchronized List<LogEntry> entries(Key key) {
    Log log = logs.get(key);
    return log == null ? List.of() : List.copyOf(log.entries.values());
  }

  /** Takes the entries of a log up to an ordinal out; later ones get later ordinals. */
  synchronized List<LogEntry> takeUpTo(Key key, long ordinal) {
    Log log = logs.get(key);
    if (log == null) {
      return List.of();
    }
    Map<Long, LogEntry> head = log.entries.headMap(ordinal, true);
    List<LogEntry> taken = List.copyOf(head.values());
    head.clear();
    return taken;
  }

  /**
   * Forgets all logs that are so, and returns what ends all that they had: their entries, and runs
   * in which nobody has looked yet.
   */
  synchronized List<Runnable> forget(Predicate<Key> which) {
    List<Runnable> ends = new ArrayList<>();
    logs.entrySet()
        .removeIf(
            each -> {
              if (!which.test(each.getKey())) {
                return false;
              }
              Log log = each.getValue();
              log.removed = true;
              nextOfRemoved = Math.max(nextOfRemoved, log.next);
              log.entries.values().forEach(entry -> ends.add(entry::end));
              ends.addAll(log.unsettled);
              return true;
            });
    return ends;
  }
}
