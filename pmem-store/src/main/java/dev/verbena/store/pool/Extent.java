// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.util.List;
import java.util.Optional;

/**
 * A run of chunks of a pool, given out to hold one record. Knows where it is, not who writes it:
 * its owner in this process, or a peer that was granted the range.
 *
 * <p>Life: reserved, then published or not, then retracted, then released. The holder keeps that
 * order; one thread at a time. Once released, it can't be used to end what is somebody else's.
 */
public final class Extent {
  /** What a peer was granted to publish. */
  @FunctionalInterface
  public interface Granted {
    /** Whether that record may begin in that chunk, counted from the first of the extent. */
    boolean includes(int chunk, RecordHeader record);
  }

  private final Pool pool;
  private final int firstChunk;
  private int chunks;
  private boolean released;

  Extent(Pool pool, ChunkAllocator.Run run) {
    this.pool = pool;
    this.firstChunk = run.first();
    this.chunks = run.count();
  }

  /** The pool that it is a part of. */
  public Pool pool() {
    return pool;
  }

  /** First byte of the record header within the pool's memory. */
  public long offset() {
    return pool.chunkOffset(firstChunk);
  }

  /** First byte of the payload within the pool's memory. */
  public long payloadOffset() {
    return offset() + RecordLayout.HEADER_BYTES;
  }

  /** Bytes that a payload can have. */
  public long payloadCapacity() {
    return (long) chunks * PoolLayout.CHUNK_BYTES - RecordLayout.HEADER_BYTES;
  }

  /** Where its publish word is within the pool's memory. */
  public long wordOffset() {
    return pool.wordOffset(firstChunk);
  }

  /** Gives an extent back that was reserved and never published. */
  public void discard() {
    checkHeld();
    pool.release(this);
    released = true;
  }

  /** Ends the record: see {@link Pool#retract}. */
  public void retract() {
    checkHeld();
    pool.retract(this);
  }

  /**
   * Ends an extent whose publish words were all granted to a peer: each record that it published
   * there becomes an extent of its own, and what is left is given back. The peer must have lost its
   * access before, with a fence. Of records that overlap the one that starts later counts, as for
   * recovery. If it throws, the extent is as it was but for records that ended.
   *
   * @param granted the records that may stay; others are ended
   */
  public List<RecoveredRecord> settle(Granted granted) {
    checkHeld();
    List<RecoveredRecord> kept = pool.settle(this, granted);
    released = true;
    return kept;
  }

  /**
   * The record that a peer published in one chunk of an extent whose publish words were all granted
   * to it, while it may still write there; empty unless the record is whole and as granted.
   */
  public Optional<RecordHeader> find(int chunk, Granted granted) {
    checkHeld();
    int room = chunks - chunk;
    return pool.guarded(
            () -> {
              int at = firstChunk + chunk;
              return PoolRecovery.intactHeader(
                  pool, at, pool.memory().getLong(pool.wordOffset(at)));
            })
        .filter(found -> granted.includes(chunk, found))
        .filter(found -> found.chunks() <= room);
  }

  /**
   * Gives back what lies behind the last record that a peer published in an extent whose publish
   * words were all granted to it. The peer must have lost its access before, with a fence.
   *
   * @return false, and nothing is given back, if there is no record or the last one is not as
   *     granted
   */
  public boolean cutBehindLast(Granted granted) {
    checkHeld();
    int last = pool.guarded(this::lastPublished);
    Optional<RecordHeader> header = last < 0 ? Optional.empty() : find(last, granted);
    header.ifPresent(found -> pool.cut(this, last + found.chunks()));
    return header.isPresent();
  }

  private int lastPublished() {
    int chunk = chunks - 1;
    while (chunk >= 0 && pool.memory().getLong(pool.wordOffset(firstChunk + chunk)) == 0) {
      chunk--;
    }
    return chunk;
  }

  /** Whether its space was given back, and may be somebody else's. */
  public boolean isReleased() {
    return released;
  }

  private void checkHeld() {
    if (released) {
      throw new IllegalStateException("it was given back: " + this);
    }
  }

  ChunkAllocator.Run run() {
    return new ChunkAllocator.Run(firstChunk, chunks);
  }

  /** Keeps the first {@code kept} chunks and returns the run of the others. */
  ChunkAllocator.Run cut(int kept) {
    ChunkAllocator.Run tail = new ChunkAllocator.Run(firstChunk + kept, chunks - kept);
    chunks = kept;
    return tail;
  }

  @Override
  public String toString() {
    return "Extent[" + pool.path() + ", chunks " + firstChunk + "+" + chunks + "]";
  }
}
