// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.Pool;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordLayout;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Space for one record, or a run of them, that somebody else writes and publishes. It counts as
 * used, and holds the store open, until it is given back or committed. Thread-safe.
 */
public final class GrantedExtent {
  private final LocalBlockStore store;
  private final Placement place;
  private final Kind kind;
  private final int records;
  private final long sequence;
  private final Contents contents;
  private final AtomicBoolean over = new AtomicBoolean();

  /** What may be published there. */
  enum Kind {
    /** A segment of a map output. */
    SEGMENT,
    /** Entries of a log, one behind the other, each from a new chunk on. */
    RUN
  }

  /** What a writer publishes there. */
  @FunctionalInterface
  interface Contents {
    /** Ends what is not to stay, and gives the space back. */
    void end();

    /** An entry of a log that was published. */
    default Optional<EntryBytes> entry(int log, long ordinal) {
      return Optional.empty();
    }
  }

  /**
   * Takes over a use of the store.
   *
   * @param records the most that can be published there
   * @param sequence of the first record
   * @param contents what is published there
   */
  GrantedExtent(
      LocalBlockStore store,
      Placement place,
      Kind kind,
      int records,
      long sequence,
      Contents contents) {
    this.store = store;
    this.place = place;
    this.kind = kind;
    this.records = records;
    this.sequence = sequence;
    this.contents = contents;
  }

  /** The number of its pool. */
  public int poolNumber() {
    return place.poolNumber();
  }

  /** Its pool. */
  public Pool pool() {
    return place.extent().pool();
  }

  /** First byte of the record within the pool. */
  public long offset() {
    return place.extent().offset();
  }

  /** Where the publish word, or the first of them, is within the pool. */
  public long wordOffset() {
    return place.extent().wordOffset();
  }

  /** Bytes of the publish words. */
  public long wordBytes() {
    return (long) records * PoolLayout.WORD_BYTES;
  }

  /**
   * Makes bytes of the record, or of the run of records, durable for a writer whose device can't.
   *
   * @param position of the first byte, counted from {@link #offset}
   * @throws StoreException INVALID_ARGUMENT if they are not all granted, IO, POOL_INVALID
   */
  public void persist(long position, long length) {
    checkRecords(position, length);
    Pool pool = pool();
    pool.persist(offset() + position, length);
  }

  /** The same for publish words, counted in bytes from {@link #wordOffset}. */
  public void persistWords(long position, long length) {
    checkWords(position, length);
    Pool pool = pool();
    pool.persist(wordOffset() + position, length);
  }

  /**
   * Puts bytes of a record where they belong, and makes them durable, for a writer who could only
   * reach other memory of this process.
   *
   * @param source has at {@code position} what is put there
   */
  public void fill(MappedMemory source, long position, long length) {
    checkRecords(position, length);
    Pool pool = pool();
    pool.guarded(
        () -> {
          source.copyTo(position, pool.memory(), offset() + position, length);
          return null;
        });
    pool.persist(offset() + position, length);
  }

  /** The same for publish words, each of which comes to stand there at once. */
  public void fillWords(MappedMemory source, long position, long length) {
    checkWords(position, length);
    Pool pool = pool();
    pool.guarded(
        () -> {
          for (long at = position; at < position + length; at += PoolLayout.WORD_BYTES) {
            pool.memory().putLongRelease(wordOffset() + at, source.getLong(at));
          }
          return null;
        });
    pool.persist(wordOffset() + position, length);
  }

  private void checkRecords(long position, long length) {
    check(position, length, recordBytes(), "bytes");
  }

  private void checkWords(long position, long length) {
    if (position % PoolLayout.WORD_BYTES != 0 || length % PoolLayout.WORD_BYTES != 0) {
      throw notGranted(position, length, "bytes of publish words");
    }
    check(position, length, wordBytes(), "bytes of publish words");
  }

  private void check(long position, long length, long granted, String what) {
    if (position < 0 || length < 0 || length > granted - position) {
      throw notGranted(position, length, what);
    }
  }

  private StoreException notGranted(long position, long length, String what) {
    return new StoreException(
        StoreException.Code.INVALID_ARGUMENT,
        length + " " + what + " at " + position + " of " + this + ", which has fewer");
  }

  /** Bytes of the record, or of the run, with headers. */
  public long recordBytes() {
    return RecordLayout.HEADER_BYTES + payloadCapacity();
  }

  /**
   * An entry of a log that its writer published here, and may still overwrite; empty unless it is
   * whole, and that log's. It stays in the log when the grant ends, until the log is trimmed.
   */
  public Optional<EntryBytes> entry(int log, long ordinal) {
    return over.get() ? Optional.empty() : contents.entry(log, ordinal);
  }

  /** Whether it is for entries of a log, so that no map output can have it. */
  public boolean isRun() {
    return kind == Kind.RUN;
  }

  /** Bytes that the payload can have. */
  public long payloadCapacity() {
    return place.extent().payloadCapacity();
  }

  /** The sequence that the header of the record, or of the first one, must have. */
  public long sequence() {
    return sequence;
  }

  Placement place() {
    return place;
  }

  Extent extent() {
    return place.extent();
  }

  /** It belongs to an output now, or to nobody. */
  void letGo() {
    if (over.compareAndSet(false, true)) {
      store.uses().exit();
    }
  }

  /**
   * Ends it: a record that was published is taken back, records of a run are kept. Nobody else may
   * be able to write there any more.
   */
  public void giveBack() {
    if (over.compareAndSet(false, true)) {
      try {
        contents.end();
      } finally {
        store.uses().exit();
      }
    }
  }

  @Override
  public String toString() {
    return "granted " + place.extent();
  }
}
