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
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/**
 * The logs of a store: an application appends entries, here or from elsewhere, and finds those that
 * were durable after any crash that their pool survives. Each entry is a record of a pool with a
 * publish word of its own, and begins on a chunk of 4 KiB. Thread-safe.
 */
public final class StoreLogs {
  /** The record kind of an entry. */
  static final int RECORD_KIND = 3;

  private static final int MOST_RUN_RECORDS = 1 << 20;

  /** A run is as good as used up if an entry begins in that share of it, at its end. */
  private static final int UNUSED_SHARE = 8;

  private final LocalBlockStore store;
  private final LogTable table = new LogTable();

  /** Held while runs are settled, so that nobody sees a part of them. */
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
        long ordinal = table.takeOrdinals(key, 1);
        add(key, write(key, ordinal, length, crc, payload, charge));
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
      return new LogEntry(place, ordinal, length, crc, charge);
    } finally {
      if (!published) {
        LocalBlockStore.end(place);
      }
    }
  }

  /** The entries of a log now, in their order. */
  public List<LogEntry> entries(String application, int log) {
    store.uses().enter();
    try {
      LogTable.Key key = key(application, log);
      settleAll(key::equals);
      return table.entries(key);
    } finally {
      store.uses().exit();
    }
  }

  private void settleAll(Predicate<LogTable.Key> which) {
    synchronized (settling) {
      Each.of(table.takeUnsettled(which), Runnable::run);
    }
  }

  /** Removes the entries of a log up to and including an ordinal, and returns how many. */
  public int trim(String application, int log, long ordinal) {
    LogTable.Key key = key(application, log);
    return end(key::equals, () -> table.takeUpTo(key, ordinal));
  }

  /** Removes all logs of an application, and returns how many entries they had. */
  int removeApplication(String application) {
    long hash = IndexKey.hashOf(application);
    Predicate<LogTable.Key> isOf = key -> key.applicationHash() == hash;
    return end(isOf, () -> table.forget(isOf));
  }

  private interface Taken {
    List<LogEntry> entries();
  }

  private int end(Predicate<LogTable.Key> which, Taken taken) {
    store.uses().enter();
    try {
      settleAll(which);
      List<LogEntry> entries = taken.entries();
      Each.of(entries, LogEntry::end);
      return entries.size();
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
    Placement place =
        store.pools().reserve(least, Math.max(least, wanted - RecordLayout.HEADER_BYTES));
    boolean done = false;
    try {
      long bytes = RecordLayout.spaceFor(place.extent().payloadCapacity());
      charge.take(bytes);
      int records = (int) Math.min(bytes / PoolLayout.CHUNK_BYTES, MOST_RUN_RECORDS);
      long sequence = place.extent().pool().newSequences(records);
      Run run = new Run(key, place, records, sequence, table.takeOrdinals(key, records), charge);
      GrantedExtent extent = new GrantedExtent(store, place, records, sequence, run::end);
      done = true;
      return new GrantedRun(extent, run.firstOrdinal);
    } finally {
      if (!done) {
        LocalBlockStore.end(place);
      }
    }
  }

  /** What was granted of a log, and becomes entries of it. */
  private final class Run {
    private final LogTable.Key key;
    private final Placement place;
    private final int records;
    private final long sequence;
    private final long firstOrdinal;
    private final SpaceCharge charge;

    Run(
        LogTable.Key key,
        Placement place,
        int records,
        long sequence,
        long firstOrdinal,
        SpaceCharge charge) {
      this.key = key;
      this.place = place;
      this.records = records;
      this.sequence = sequence;
      this.firstOrdinal = firstOrdinal;
      this.charge = charge;
    }

    /**
     * The writer is gone. Looking for what it left is work for who wants to read it, unless much of
     * the space was not used.
     */
    void end() {
      if (isMostlyUsed()) {
        table.putUnsettled(key, this::settle);
      } else {
        settle();
      }
    }

    private boolean isMostlyUsed() {
      Extent extent = place.extent();
      return extent
          .pool()
          .guarded(
              () -> {
                for (int i = records - records / UNUSED_SHARE; i < records; i++) {
                  long word = extent.wordOffset() + (long) i * PoolLayout.WORD_BYTES;
                  if (extent.pool().memory().getLong(word) != 0) {
                    return true;
                  }
                }
                return false;
              });
    }

    private void settle() {
      List<RecoveredRecord> kept = place.extent().settle(this::isGranted);
      charge.close();
      for (RecoveredRecord record : kept) {
        addFound(place.poolNumber(), record);
      }
    }

    private boolean isGranted(RecordHeader header) {
      long at = header.sequence() - sequence;
      return at >= 0
          && at < records
          && header.id().equals(idOf(key, firstOrdinal + at))
          && header.chunks()
              == RecordLayout.spaceFor(header.payloadBytes()) / PoolLayout.CHUNK_BYTES;
    }
  }

  /** Takes over an entry that was found published. */
  void addFound(int poolNumber, RecoveredRecord record) {
    RecordHeader header = record.header();
    LogTable.Key key = new LogTable.Key(header.id().applicationHash(), header.id().shuffle());
    SpaceCharge charge = store.chargeFound(key.applicationHash());
    charge.takeFound(RecordLayout.spaceFor(header.payloadBytes()));
    add(
        key,
        new LogEntry(
            new Placement(poolNumber, record.extent()),
            header.id().mapAttempt(),
            header.payloadBytes(),
            header.payloadCrc(),
            charge));
  }

  private void add(LogTable.Key key, LogEntry entry) {
    if (!table.put(key, entry)) {
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
