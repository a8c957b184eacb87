// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.pool.Each;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.store.pool.RecoveredRecord;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * The logs of a store: an application appends entries, here or from elsewhere, and finds those that
 * were durable after any crash that the domain of their pool names. After one, an entry is there
 * whole or not at all: one whose append returned is there, one whose append did not return may be.
 * Each entry is a record of a pool with a publish word of its own, and begins on a chunk of 4 KiB.
 * Ordinals ascend while the store is open; opened again, it goes on behind the last entry it found.
 * Thread-safe.
 */
public final class StoreLogs {
  /** The record kind of an entry. */
  static final int RECORD_KIND = 3;

  private static final int MOST_RUN_RECORDS = 1 << 20;

  private final LocalBlockStore store;
  private final LogTable table = new LogTable();

  /**
   * Held while runs are settled, so that nobody passes by one that another thread looks through.
   */
  private final Object settling = new Object();

  StoreLogs(LocalBlockStore store) {
    this.store = store;
  }

  /** Puts an entry's bytes where they belong. */
  private interface Payload {
    void putTo(Extent extent);
  }

  /**
   * Appends an entry: durable, as its pool is, when this returns.
   *
   * @return its ordinal
   * @throws StoreException POOL_FULL, QUOTA_EXCEEDED, POOL_INVALID, IO, CLOSED
   */
  public long append(String application, int log, byte[] source, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(source, offset, length);
    return append(
        application,
        log,
        length,
        (int) crc.getValue(),
        extent -> extent.pool().write(extent.payloadOffset(), source, offset, length));
  }

  /**
   * The same for an entry that a peer brought: copied once.
   *
   * @param crc CRC32C of it, which the peer took from its source; readers and recovery hold the
   *     entry to it
   */
  public long append(
      String application, int log, MappedMemory source, long offset, int length, int crc) {
    return append(
        application,
        log,
        length,
        crc,
        extent ->
            extent
                .pool()
                .guarded(
                    () -> {
                      source.copyTo(offset, extent.pool().memory(), extent.payloadOffset(), length);
                      return null;
                    }));
  }

  private long append(String application, int log, int length, int crc, Payload payload) {
    store.uses().enter();
    try {
      LogTable.Key key = key(application, log);
      SpaceCharge charge = store.charge(application);
      boolean done = false;
      try {
        charge.take(RecordLayout.spaceFor(length));
        LogTable.Log to = table.open(key);
        long ordinal = table.takeOrdinals(to, 1);
        add(to, write(key, ordinal, length, crc, payload, charge));
        done = true;
        return ordinal;
      } finally {
        if (!done) {
          charge.close();
        }
      }
    } finally {
      store.uses().exit();
    }
  }

  private LogEntry write(
      LogTable.Key key, long ordinal, int length, int crc, Payload payload, SpaceCharge charge) {
    Placement place = store.pools().reserve(length, length);
    boolean published = false;
    try {
      Extent extent = place.extent();
      payload.putTo(extent);
      extent.pool().publish(extent, idOf(key, ordinal), length, crc);
      published = true;
      return new LogEntry(store.uses(), place, ordinal, length, crc, charge);
    } finally {
      if (!published) {
        LocalBlockStore.end(place);
      }
    }
  }

  /**
   * The entries of a log now, in their order. What a writer elsewhere appended is among them once
   * the space that it was granted is used up or given back, by it or by its end.
   */
  public List<LogEntry> entries(String application, int log) {
    store.uses().enter();
    try {
      LogTable.Key key = key(application, log);
      settleAll(key);
      return table.entries(key);
    } finally {
      store.uses().exit();
    }
  }

  private void settleAll(LogTable.Key key) {
    synchronized (settling) {
      Each.of(table.takeUnsettled(key), Runnable::run);
    }
  }

  /**
   * Removes the entries of a log up to and including an ordinal, and returns how many. They stay
   * away after a crash that comes after the return; one before it may leave any of them.
   */
  public int trim(String application, int log, long ordinal) {
    store.uses().enter();
    try {
      LogTable.Key key = key(application, log);
      settleAll(key);
      List<LogEntry> entries = table.takeUpTo(key, ordinal);
      Each.of(entries, LogEntry::end);
      return entries.size();
    } finally {
      store.uses().exit();
    }
  }

  /**
   * Removes all logs of an application. What its writers elsewhere append to space that they have
   * already ends with their grants.
   */
  void removeApplication(String application) {
    long hash = IndexKey.hashOf(application);
    store.uses().enter();
    try {
      Each.of(table.forget(key -> key.applicationHash() == hash), Runnable::run);
    } finally {
      store.uses().exit();
    }
  }

  /** See {@link GrantedSpace#reserveRun}. */
  GrantedRun grant(String application, int log, long least, long wanted) {
    store.uses().enter();
    boolean done = false;
    try {
      SpaceCharge charge = store.charge(application);
      try {
        GrantedRun run = grant(key(application, log), charge, least, wanted);
        done = true;
        return run;
      } finally {
        if (!done) {
          charge.close();
        }
      }
    } finally {
      if (!done) {
        store.uses().exit();
      }
    }
  }

  private GrantedRun grant(LogTable.Key key, SpaceCharge charge, long least, long wanted) {
    long room = Math.min(wanted, charge.left() / PoolLayout.CHUNK_BYTES * PoolLayout.CHUNK_BYTES);
    Placement place =
        store.pools().reserve(least, Math.max(least, room - RecordLayout.HEADER_BYTES));
    boolean done = false;
    try {
      long bytes = spaceOf(place);
      charge.take(bytes);
      int records = (int) Math.min(bytes / PoolLayout.CHUNK_BYTES, MOST_RUN_RECORDS);
      long sequence = place.extent().pool().newSequences(records);
      LogTable.Log log = table.open(key);
      long first = table.takeOrdinals(log, records);
      Run run = new Run(key, log, place, records, sequence, first, charge);
      GrantedExtent extent =
          new GrantedExtent(store, place, GrantedExtent.Kind.RUN, records, sequence, run);
      done = true;
      return new GrantedRun(extent, run.firstOrdinal);
    } finally {
      if (!done) {
        LocalBlockStore.end(place);
      }
    }
  }

  private static long spaceOf(Placement place) {
    return RecordLayout.spaceFor(place.extent().payloadCapacity());
  }

  /** What was granted of a log, and becomes entries of it. */
  private final class Run implements GrantedExtent.Contents {
    private final LogTable.Key key;
    private final LogTable.Log log;
    private final Placement place;
    private final int records;
    private final long sequence;
    private final long firstOrdinal;
    private final SpaceCharge charge;

    Run(
        LogTable.Key key,
        LogTable.Log log,
        Placement place,
        int records,
        long sequence,
        long firstOrdinal,
        SpaceCharge charge) {
      this.key = key;
      this.log = log;
      this.place = place;
      this.records = records;
      this.sequence = sequence;
      this.firstOrdinal = firstOrdinal;
      this.charge = charge;
    }

    /**
     * The writer is gone, and what it did not use is free. Looking through the rest is work for who
     * wants to read it.
     */
    @Override
    public void end() {
      long granted = spaceOf(place);
      boolean asGranted = tried(() -> place.extent().cutBehindLast(this::isGranted));
      charge.giveBack(granted - spaceOf(place));
      if (!asGranted || !table.putUnsettled(log, this::settle)) {
        settle();
      }
    }

    @Override
    public Optional<EntryBytes> entry(int asked, long ordinal) {
      long chunk = ordinal - firstOrdinal;
      if (asked != key.log() || chunk < 0 || chunk >= records) {
        return Optional.empty();
      }
      Extent extent = place.extent();
      long payload = extent.payloadOffset() + chunk * PoolLayout.CHUNK_BYTES;
      return extent
          .find((int) chunk, this::isGranted)
          .map(header -> new EntryBytes(store.uses(), extent.pool(), payload, header));
    }

    private void settle() {
      List<RecoveredRecord> kept = tried(() -> place.extent().settle(this::isGranted));
      charge.close();
      Each.of(kept, record -> add(log, found(key, place.poolNumber(), record)));
    }

    /** A look that fails is taken again by whoever reads the log next. */
    private <T> T tried(Supplier<T> look) {
      boolean done = false;
      try {
        T seen = look.get();
        done = true;
        return seen;
      } finally {
        if (!done) {
          table.putUnsettled(log, this::settle);
        }
      }
    }

    private boolean isGranted(int chunk, RecordHeader header) {
      return chunk < records
          && header.sequence() == sequence + chunk
          && header.id().equals(idOf(key, firstOrdinal + chunk))
          && header.chunks()
              == RecordLayout.spaceFor(header.payloadBytes()) / PoolLayout.CHUNK_BYTES;
    }
  }

  /** Takes over an entry that recovery found published. */
  void addFound(int poolNumber, RecoveredRecord record) {
    RecordId id = record.header().id();
    LogTable.Key key = new LogTable.Key(id.applicationHash(), id.shuffle());
    add(table.open(key), found(key, poolNumber, record));
  }

  private LogEntry found(LogTable.Key key, int poolNumber, RecoveredRecord record) {
    RecordHeader header = record.header();
    SpaceCharge charge = store.chargeFound(key.applicationHash());
    charge.takeFound((long) header.chunks() * PoolLayout.CHUNK_BYTES);
    return new LogEntry(
        store.uses(),
        new Placement(poolNumber, record.extent()),
        header.id().mapAttempt(),
        header.payloadBytes(),
        header.payloadCrc(),
        charge);
  }

  /** An entry of a log that was removed meanwhile ends with it. */
  private void add(LogTable.Log log, LogEntry entry) {
    if (!table.put(log, entry)) {
      entry.end();
    }
  }

  private static LogTable.Key key(String application, int log) {
    return new LogTable.Key(IndexKey.hashOf(application), log);
  }

  private static RecordId idOf(LogTable.Key key, long ordinal) {
    return idOf(key.applicationHash(), key.log(), ordinal);
  }

  /** The record id of an entry. */
  public static RecordId idOf(long applicationHash, int log, long ordinal) {
    return new RecordId(RECORD_KIND, applicationHash, log, ordinal);
  }
}
