// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the records of a pool. Trusts a record only if its publish word, its header's CRC and its
 * payload's CRC agree; what fails is ended, durably, before its space is given out again.
 */
final class PoolRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(PoolRecovery.class);

  private final Pool pool;
  private final ChunkAllocator allocator;

  PoolRecovery(Pool pool, ChunkAllocator allocator) {
    this.pool = pool;
    this.allocator = allocator;
  }

  List<RecoveredRecord> scan() {
    List<RecoveredRecord> found = new ArrayList<>();
    // From the end: who was granted an extent may write the word of its first chunk, or of a log's
    // run those of all, and none behind. So of two records that overlap it is the lower one that
    // lies about its length.
    for (int chunk = pool.chunkCount() - 1; chunk >= 0; chunk--) {
      long word = pool.memory().getLong(pool.wordOffset(chunk));
      if (word == 0) {
        continue;
      }
      Optional<RecordHeader> header = intactHeader(pool, chunk, word);
      if (header.isPresent()) {
        ChunkAllocator.Run run = new ChunkAllocator.Run(chunk, header.get().chunks());
        if (allocator.claim(run)) {
          found.add(new RecoveredRecord(new Extent(pool, run), header.get(), word));
          continue;
        }
      }
      LOG.warn("pool {}: the record at chunk {} is not intact and is dropped", pool.path(), chunk);
      pool.memory().putLong(pool.wordOffset(chunk), 0);
      pool.persist(pool.wordOffset(chunk), PoolLayout.WORD_BYTES);
    }
    Collections.reverse(found);
    return found;
  }

  /** The header of the record at a chunk, if word, header and payload agree. */
  static Optional<RecordHeader> intactHeader(Pool pool, int chunk, long word) {
    byte[] bytes = new byte[RecordLayout.HEADER_BYTES];
    long at = pool.chunkOffset(chunk);
    pool.read(at, bytes, 0, bytes.length);
    return RecordHeader.decode(bytes, word)
        .filter(header -> fits(pool, chunk, header))
        .filter(
            header ->
                header.payloadCrc()
                    == RecordCrc.of(pool, at + RecordLayout.HEADER_BYTES, header.payloadBytes()));
  }

  private static boolean fits(Pool pool, int chunk, RecordHeader header) {
    return header.chunks() > 0
        && header.chunks() <= pool.chunkCount() - chunk
        && header.payloadBytes() >= 0
        && header.payloadBytes()
            <= (long) header.chunks() * PoolLayout.CHUNK_BYTES - RecordLayout.HEADER_BYTES;
  }
}
