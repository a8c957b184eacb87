// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sorts out what a peer left in a run of chunks whose publish words it could all write: by the
 * rules of {@link PoolRecovery}, so that a crash in between changes nothing.
 */
final class Settlement {
  private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

  private final Pool pool;
  private final ChunkAllocator allocator;
  private final Predicate<RecordHeader> belongs;

  Settlement(Pool pool, ChunkAllocator allocator, Predicate<RecordHeader> belongs) {
    this.pool = pool;
    this.allocator = allocator;
    this.belongs = belongs;
  }

  /** The records that are kept, by their place; all other chunks of the run are free. */
  List<RecoveredRecord> of(ChunkAllocator.Run run) {
    // A writer that vanished may have left a word that no FLUSH came for; shown, it must stay.
    pool.persist(pool.wordOffset(run.first()), (long) run.count() * PoolLayout.WORD_BYTES);
    List<RecoveredRecord> kept = new ArrayList<>();
    int end = run.end();
    int dropped = 0;
    for (int chunk = run.end() - 1; chunk >= run.first(); chunk--) {
      long word = pool.memory().getLong(pool.wordOffset(chunk));
      if (word == 0) {
        continue;
      }
      int room = end - chunk;
      Optional<RecordHeader> header =
          PoolRecovery.intactHeader(pool, chunk, word)
              .filter(belongs)
              .filter(found -> found.chunks() <= room);
      if (header.isPresent()) {
        ChunkAllocator.Run own = new ChunkAllocator.Run(chunk, header.get().chunks());
        kept.add(new RecoveredRecord(new Extent(pool, own), header.get(), word));
        free(own.end(), end);
        end = chunk;
      } else {
        dropped++;
        pool.retract(new Extent(pool, new ChunkAllocator.Run(chunk, 1)));
      }
    }
    free(run.first(), end);
    if (dropped > 0) {
      LOG.warn("pool {}: {} records of a peer are not as granted: dropped", pool.path(), dropped);
    }
    Collections.reverse(kept);
    return kept;
  }

  private void free(int first, int end) {
    if (first < end) {
      allocator.free(new ChunkAllocator.Run(first, end - first));
    }
  }
}
