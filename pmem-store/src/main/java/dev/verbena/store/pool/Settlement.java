// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sorts out what a peer left in a run of chunks whose publish words it could all write: by the
 * rules of {@link PoolRecovery}, so that a crash in between changes nothing.
 */
final class Settlement {
  private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

  private final Pool pool;
  private final ChunkAllocator.Run run;
  private final Extent.Granted granted;

  Settlement(Pool pool, ChunkAllocator.Run run, Extent.Granted granted) {
    this.pool = pool;
    this.run = run;
    this.granted = granted;
  }

  /** The records that are kept, by their place; all others are ended. */
  List<RecoveredRecord> keep() {
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
      int at = chunk - run.first();
      int room = end - chunk;
      Optional<RecordHeader> header =
          PoolRecovery.intactHeader(pool, chunk, word)
              .filter(found -> granted.includes(at, found))
              .filter(found -> found.chunks() <= room);
      if (header.isPresent()) {
        ChunkAllocator.Run own = new ChunkAllocator.Run(chunk, header.get().chunks());
        kept.add(new RecoveredRecord(new Extent(pool, own), header.get(), word));
        end = chunk;
      } else {
        dropped++;
        pool.retract(new Extent(pool, new ChunkAllocator.Run(chunk, 1)));
      }
    }
    if (dropped > 0) {
      LOG.warn("pool {}: {} records of a peer are not as granted: dropped", pool.path(), dropped);
    }
    Collections.reverse(kept);
    return kept;
  }

  /** Gives back all chunks of the run but those of the records that are kept. */
  void freeAround(List<RecoveredRecord> kept, ChunkAllocator allocator) {
    int from = run.first();
    for (RecoveredRecord record : kept) {
      free(from, record.extent().run().first(), allocator);
      from = record.extent().run().end();
    }
    free(from, run.end(), allocator);
  }

  private static void free(int first, int end, ChunkAllocator allocator) {
    if (first < end) {
      allocator.free(new ChunkAllocator.Run(first, end - first));
    }
  }
}
