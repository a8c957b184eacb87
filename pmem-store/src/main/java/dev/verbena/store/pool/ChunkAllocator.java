// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Gives out runs of chunks: best fit, neighbours joined on return, logarithmic in the number of
 * free runs. Lives in the heap only; recovery rebuilds it. Thread-safe.
 */
final class ChunkAllocator {
  /** A run of chunks. */
  record Run(int first, int count) {
    int end() {
      return first + count;
    }
  }

  private final TreeMap<Integer, Run> freeByFirst = new TreeMap<>();

  /** Free runs as (count, first) in one number, so that the best fit is a ceiling. */
  private final TreeSet<Long> freeByCount = new TreeSet<>();

  private final int chunks;
  private int used;

  ChunkAllocator(int chunks) {
    this.chunks = chunks;
    if (chunks > 0) {
      addFree(new Run(0, chunks));
    }
  }

  /**
   * Takes {@code wanted} chunks, or the longest free run if that is shorter but no less than min.
   */
  synchronized Optional<Run> allocate(int min, int wanted) {
    Long fit = freeByCount.ceiling(sizeKey(wanted, 0));
    if (fit == null) {
      fit = freeByCount.isEmpty() ? null : freeByCount.last();
      if (fit == null || fit >>> Integer.SIZE < min) {
        return Optional.empty();
      }
    }
    Run free = freeByFirst.get((int) (long) fit);
    Run taken = new Run(free.first(), Math.min(wanted, free.count()));
    take(free, taken);
    return Optional.of(taken);
  }

  /** Takes exactly that run; false if it is not all free. */
  synchronized boolean claim(Run run) {
    if (run.first() < 0 || run.count() < 1 || run.count() > chunks - run.first()) {
      return false;
    }
    Map.Entry<Integer, Run> at = freeByFirst.floorEntry(run.first());
    if (at == null || at.getValue().end() < run.end()) {
      return false;
    }
    take(at.getValue(), run);
    return true;
  }

  /** Takes a run back. */
  synchronized void free(Run run) {
    Map.Entry<Integer, Run> before = freeByFirst.floorEntry(run.first());
    Map.Entry<Integer, Run> after = freeByFirst.ceilingEntry(run.first());
    if (run.first() < 0
        || run.end() > chunks
        || (before != null && before.getValue().end() > run.first())
        || (after != null && after.getValue().first() < run.end())) {
      throw new IllegalStateException("chunks freed twice: " + run);
    }
    int first = run.first();
    int end = run.end();
    if (before != null && before.getValue().end() == first) {
      first = before.getValue().first();
      removeFree(before.getValue());
    }
    if (after != null && after.getValue().first() == end) {
      end = after.getValue().end();
      removeFree(after.getValue());
    }
    addFree(new Run(first, end - first));
    used -= run.count();
  }

  synchronized int used() {
    return used;
  }

  private void take(Run free, Run taken) {
    removeFree(free);
    if (taken.first() > free.first()) {
      addFree(new Run(free.first(), taken.first() - free.first()));
    }
    if (taken.end() < free.end()) {
      addFree(new Run(taken.end(), free.end() - taken.end()));
    }
    used += taken.count();
  }

  private void addFree(Run run) {
    freeByFirst.put(run.first(), run);
    freeByCount.add(sizeKey(run.count(), run.first()));
  }

  private void removeFree(Run run) {
    freeByFirst.remove(run.first());
    freeByCount.remove(sizeKey(run.count(), run.first()));
  }

  private static long sizeKey(int count, int first) {
    return (long) count << Integer.SIZE | first;
  }
}
