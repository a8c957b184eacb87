// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.crash.SimulatedMemory;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.pool.Pool;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordLayout;
import java.util.zip.CRC32C;

/** A writer elsewhere, to which a run of a log was granted: it stores and flushes, and no more. */
final class CrashPeer {
  private final GrantedRun run;
  private final Pool pool;
  private int next;

  /** Leaves chunks free in front of its first entry. */
  CrashPeer(GrantedRun run, int skipped) {
    this.run = run;
    this.pool = run.extent().pool();
    this.next = skipped;
  }

  /** Appends an entry but for the last FLUSH, and returns where its word is. */
  long append(byte[] entry) {
    SimulatedMemory.put(
        pool.memory(), offset(next) + RecordLayout.HEADER_BYTES, entry, 0, entry.length);
    CRC32C crc = new CRC32C();
    crc.update(entry);
    long word = publish(next, entry.length, (int) crc.getValue());
    next += (int) (RecordLayout.spaceFor(entry.length) / PoolLayout.CHUNK_BYTES);
    return word;
  }

  /** The last FLUSH. */
  void flush(long word) {
    pool.persist(word, PoolLayout.WORD_BYTES);
  }

  /** Publishes a record that reaches into the entry of {@code length} bytes behind it. */
  void overlap(int chunk, int length) {
    byte[] payload = new byte[PoolLayout.CHUNK_BYTES + length];
    pool.read(offset(chunk) + RecordLayout.HEADER_BYTES, payload, 0, payload.length);
    CRC32C crc = new CRC32C();
    crc.update(payload);
    flush(publish(chunk, payload.length, (int) crc.getValue()));
  }

  private long publish(int chunk, int length, int crc) {
    RecordHeader header =
        RecordHeader.of(
            StoreLogs.idOf(
                IndexKey.hashOf(CrashCheck.LOGGING), CrashCheck.LOG, run.firstOrdinal() + chunk),
            length,
            run.extent().sequence() + chunk,
            crc);
    long at = offset(chunk);
    SimulatedMemory.put(pool.memory(), at, header.encode(), 0, RecordLayout.HEADER_BYTES);
    pool.persist(at, RecordLayout.HEADER_BYTES + (long) length);
    long word = run.extent().wordOffset() + (long) chunk * PoolLayout.WORD_BYTES;
    SimulatedMemory.putLongRelease(pool.memory(), word, header.publishWord());
    return word;
  }

  private long offset(int chunk) {
    return run.extent().offset() + (long) chunk * PoolLayout.CHUNK_BYTES;
  }
}
