// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.crash.SimulatedMemory;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.pool.Pool;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A writer elsewhere, to which a run of a log was granted. Its device stores into the pool, or into
 * other memory that the store copies; the store flushes when it is asked to.
 */
final class CrashPeer {
  private final GrantedRun run;
  private final Pool pool;

  /** Where its device stores what the store is to copy; null if that is the pool. */
  private final MappedMemory stagedRecords;

  private final MappedMemory stagedWords;
  private int next;

  /** Leaves chunks free in front of its first entry. */
  CrashPeer(GrantedRun run, int skipped, boolean staged) {
    this.run = run;
    GrantedExtent extent = run.extent();
    this.stagedRecords = staged ? memory(extent.recordBytes()) : null;
    this.stagedWords = staged ? memory(extent.wordBytes()) : null;
    this.pool = run.extent().pool();
    this.next = skipped;
  }

  /** Appends an entry but for the last FLUSH, and returns the position of its word. */
  long append(byte[] entry) {
    store(position(next) + RecordLayout.HEADER_BYTES, entry);
    CRC32C crc = new CRC32C();
    crc.update(entry);
    long word = publish(next, entry.length, (int) crc.getValue());
    next += (int) (RecordLayout.spaceFor(entry.length) / PoolLayout.CHUNK_BYTES);
    return word;
  }

  /** The last FLUSH. */
  void flush(long word) {
    if (stagedWords == null) {
      run.extent().persistWords(word, PoolLayout.WORD_BYTES);
    } else {
      run.extent().fillWords(stagedWords, word, PoolLayout.WORD_BYTES);
    }
  }

  /** Publishes a record that reaches into the entry of {@code length} bytes behind it. */
  void overlap(int chunk, int length) {
    byte[] payload = new byte[PoolLayout.CHUNK_BYTES + length];
    pool.read(
        run.extent().offset() + position(chunk) + RecordLayout.HEADER_BYTES,
        payload,
        0,
        payload.length);
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
    long at = position(chunk);
    store(at, header.encode());
    long bytes = RecordLayout.HEADER_BYTES + (long) length;
    long word = (long) chunk * PoolLayout.WORD_BYTES;
    if (stagedWords == null) {
      run.extent().persist(at, bytes);
      SimulatedMemory.putLongRelease(
          pool.memory(), run.extent().wordOffset() + word, header.publishWord());
    } else {
      run.extent().fill(stagedRecords, at, bytes);
      stagedWords.putLong(word, header.publishWord());
    }
    return word;
  }

  private void store(long position, byte[] bytes) {
    if (stagedRecords == null) {
      long at = run.extent().offset() + position;
      SimulatedMemory.put(pool.memory(), at, bytes, 0, bytes.length);
    } else {
      stagedRecords.put(position, bytes, 0, bytes.length);
    }
  }

  private static MappedMemory memory(long bytes) {
    return MappedMemory.of(ByteBuffer.allocateDirect((int) bytes));
  }

  private static long position(int chunk) {
    return (long) chunk * PoolLayout.CHUNK_BYTES;
  }
}
