// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.memory.LateFault;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import dev.verbena.store.PoolKind;
import dev.verbena.store.PoolUsage;
import dev.verbena.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A pool: a mapped file or device that gives out extents, publishes the records written there, and
 * finds them again. This process owns it while it is open. Thread-safe; an {@link Extent} is not.
 *
 * <p>A record becomes visible and durable by {@link #publish}: payload and header first, then the
 * publish word. It ends by {@link #retract}, after which {@link #release} gives the space back.
 */
public final class Pool implements PersistentRegion, AutoCloseable {
  private static final long SEQUENCES_A_MARK = 1 << 16;

  private final PoolOptions options;
  private final PoolPlace place;
  private final MappedMemory memory;
  private final PoolHeader header;
  private final DurabilityMethod method;
  private final ChunkAllocator allocator;
  private final AtomicLong extents = new AtomicLong();
  private final LongAdder persistNanos = new LongAdder();
  private final List<RecoveredRecord> recovered;
  private long nextSequence;
  private long sequenceMark;

  private Pool(PoolOptions options, PoolPlace place, PoolPlace.Mapped mapped) {
    boolean existed = mapped.existed();
    this.options = options;
    this.place = place;
    this.memory = mapped.memory();
    this.header = mapped.header();
    this.method = options.kind().methodFor(options.domain());
    this.allocator = new ChunkAllocator((int) header.chunkCount());
    if (existed) {
      // An owner that was killed may have left words that a loss of power would take back.
      persist(0, header.chunksStart());
    } else {
      writeHeader();
    }
    this.nextSequence = Math.max(1, memory.getLong(PoolLayout.SEQUENCE_MARK_AT));
    this.recovered = existed ? guarded(() -> new PoolRecovery(this, allocator).scan()) : List.of();
    for (RecoveredRecord found : recovered) {
      nextSequence = Math.max(nextSequence, found.header().sequence() + 1);
    }
    extents.set(recovered.size());
    raiseSequenceMark();
  }

  /** The magic is written last: without it the pool was never made. */
  private void writeHeader() {
    byte[] bytes = header.encode();
    int body = PoolLayout.MAGIC_AT + Long.BYTES;
    write(body, bytes, body, bytes.length - body);
    // With the words: who zeroed a device may have left that to the cache.
    persist(0, header.chunksStart());
    memory.putLongRelease(PoolLayout.MAGIC_AT, PoolLayout.MAGIC);
    persist(PoolLayout.MAGIC_AT, Long.BYTES);
  }

  /**
   * Opens the pool, or makes it if there is none. The size of a pool that is there stays.
   *
   * @throws StoreException POOL_OWNED, POOL_INVALID, DURABILITY_UNAVAILABLE, INVALID_ARGUMENT, or
   *     IO, a full file system included
   */
  public static Pool open(PoolOptions options) {
    return open(options, PoolHeader.NO_NUMBER);
  }

  /** The same; a pool that is made on a device is told its number in the store. */
  static Pool open(PoolOptions options, int number) {
    return open(options, place -> Optional.of(place.map(number))).orElseThrow();
  }

  /** Opens the pool that is there, and makes none. */
  static Optional<Pool> openMade(PoolOptions options) {
    return open(
        options,
        place -> place.isMade() ? Optional.of(place.map(PoolHeader.NO_NUMBER)) : Optional.empty());
  }

  private static Optional<Pool> open(
      PoolOptions options, Function<PoolPlace, Optional<PoolPlace.Mapped>> map) {
    if (options.domain().compareTo(options.kind().ceiling()) > 0) {
      throw new StoreException(
          StoreException.Code.DURABILITY_UNAVAILABLE,
          "pool "
              + options.path()
              + " of kind "
              + options.kind()
              + ": durability "
              + options.domain()
              + " asked for, expected at most "
              + options.kind().ceiling());
    }
    PoolPlace place = PoolPlace.acquire(options);
    Pool opened = null;
    try {
      PoolPlace.Mapped mapped = map.apply(place).orElse(null);
      if (mapped != null) {
        opened = open(options, place, mapped);
      }
      return Optional.ofNullable(opened);
    } catch (InternalError e) {
      LateFault.collect();
      throw new StoreException(
          StoreException.Code.POOL_INVALID,
          "pool " + options.path() + " " + lost(options) + " while it was opened",
          e);
    } finally {
      if (opened == null) {
        place.close();
      }
    }
  }

  /** Takes place and memory over, the memory also if it throws. */
  static Pool open(PoolOptions options, PoolPlace place, PoolPlace.Mapped mapped) {
    boolean done = false;
    try {
      Pool pool = new Pool(options, place, mapped);
      done = true;
      return pool;
    } finally {
      if (!done) {
        mapped.memory().close();
      }
    }
  }

  /** Its file or device. */
  public Path path() {
    return options.path();
  }

  /** The records that were there when it was opened, by their place. */
  public List<RecoveredRecord> recovered() {
    return recovered;
  }

  /** The number in its store that a pool on a device was told when it was made. */
  int number() {
    return header.number();
  }

  /** The random number that tells this pool from others of the same path. */
  public long poolId() {
    return header.poolId();
  }

  /**
   * Takes space for a payload of {@code wanted} bytes, or less if no free run is that long, but
   * never for less than {@code min} bytes.
   *
   * @return the extent, which is nobody else's until released; empty if the pool is too full
   */
  public Optional<Extent> reserve(long min, long wanted) {
    long minChunks = RecordLayout.chunksFor(min);
    long wantedChunks = Math.min(RecordLayout.chunksFor(wanted), header.chunkCount());
    if (minChunks > header.chunkCount()) {
      return Optional.empty();
    }
    return allocator
        .allocate((int) minChunks, (int) Math.max(minChunks, wantedChunks))
        .map(
            run -> {
              extents.incrementAndGet();
              return new Extent(this, run);
            });
  }

  /**
   * Publishes the record whose payload stands in {@code extent}: gives back what the payload does
   * not need, then payload and header are made durable, then the publish word.
   *
   * @param payloadCrc CRC32C of the payload, which the writer took from its source
   * @return the publish word
   */
  public long publish(Extent extent, RecordId id, long payloadBytes, int payloadCrc) {
    int chunks = (int) RecordLayout.chunksFor(payloadBytes);
    cut(extent, chunks);
    RecordHeader record = new RecordHeader(id, payloadBytes, takeSequences(1), payloadCrc, chunks);
    byte[] bytes = record.encode();
    write(extent.offset(), bytes, 0, bytes.length);
    persist(extent.offset(), RecordLayout.HEADER_BYTES + payloadBytes);
    long word = record.publishWord();
    writeWord(extent, word);
    return word;
  }

  /** The first of {@code count} sequences in a row for records that a peer will write. */
  public long newSequences(int count) {
    return takeSequences(count);
  }

  /** See {@link Extent#settle}. */
  List<RecoveredRecord> settle(Extent extent, Extent.Granted granted) {
    Settlement settlement = new Settlement(this, extent.run(), granted);
    List<RecoveredRecord> kept = guarded(settlement::keep);
    // When nothing can fail any more: chunks are freed once.
    settlement.freeAround(kept, allocator);
    extents.addAndGet(kept.size() - 1L);
    return kept;
  }

  /**
   * Takes over the record that a peer published in an extent granted to it, and gives back what its
   * payload does not need. The peer must have lost its access before, with a fence. That the
   * payload matches its checksum is the peer's business: readers and recovery see if it does not.
   *
   * @param sequence what was granted
   * @return empty unless publish word, header and grant agree
   */
  public Optional<RecoveredRecord> adopt(Extent extent, RecordId id, long sequence) {
    long word = memory.getLong(extent.wordOffset());
    byte[] bytes = new byte[RecordLayout.HEADER_BYTES];
    read(extent.offset(), bytes, 0, bytes.length);
    Optional<RecordHeader> header =
        RecordHeader.decode(bytes, word)
            .filter(found -> found.sequence() == sequence && found.id().equals(id))
            .filter(found -> found.payloadBytes() >= 0)
            .filter(found -> found.payloadBytes() <= extent.payloadCapacity())
            .filter(found -> found.chunks() == RecordLayout.chunksFor(found.payloadBytes()));
    header.ifPresent(found -> cut(extent, found.chunks()));
    return header.map(found -> new RecoveredRecord(extent, found, word));
  }

  /** Gives back all but the first chunks of an extent. */
  void cut(Extent extent, int chunks) {
    ChunkAllocator.Run tail = extent.cut(chunks);
    if (tail.count() > 0) {
      allocator.free(tail);
    }
  }

  /** Ends a record: from now on no reader and no recovery trusts it. Durable when it returns. */
  public void retract(Extent extent) {
    writeWord(extent, 0);
  }

  /** Gives the space of an extent back; it must not be published. */
  public void release(Extent extent) {
    if (guarded(() -> memory.getLong(extent.wordOffset())) != 0) {
      throw new IllegalStateException("released while published: " + extent);
    }
    allocator.free(extent.run());
    extents.decrementAndGet();
  }

  /**
   * Copies bytes out.
   *
   * @throws StoreException POOL_INVALID if the file was truncated under the mapping
   */
  public void read(long offset, byte[] target, int from, int length) {
    try {
      memory.get(offset, target, from, length);
      checkWhole();
    } catch (InternalError e) {
      throw truncated(e);
    }
  }

  /** Copies bytes out to an absolute index of a buffer, whose position stays. */
  public void read(long offset, ByteBuffer target, int targetIndex, int length) {
    try {
      memory.get(offset, target, targetIndex, length);
      checkWhole();
    } catch (InternalError e) {
      throw truncated(e);
    }
  }

  /** Copies bytes in; what is not the caller's extent it must not touch. */
  public void write(long offset, byte[] source, int from, int length) {
    try {
      memory.put(offset, source, from, length);
      checkWhole();
    } catch (InternalError e) {
      throw truncated(e);
    }
  }

  /**
   * Runs accesses to the memory of which none may count if the file was truncated.
   *
   * @throws StoreException POOL_INVALID if it was; whatever else {@code access} threw is its cause
   */
  public <T> T guarded(Supplier<T> access) {
    try {
      T result = access.get();
      checkWhole();
      return result;
    } catch (InternalError e) {
      throw truncated(e);
    } catch (RuntimeException e) {
      if (memory.isTruncated()) {
        throw truncated(e);
      }
      throw e;
    }
  }

  /**
   * Checks behind accesses to the memory that the file is as long as it was. HotSpot survives a
   * fault, makes up what was read, and throws an error at some later time, which ends here.
   */
  private void checkWhole() {
    if (memory.isTruncated()) {
      throw truncated(null);
    }
  }

  private StoreException truncated(Throwable cause) {
    LateFault.collect();
    return new StoreException(
        StoreException.Code.POOL_INVALID,
        "pool "
            + path()
            + " "
            + lost(options)
            + " under its mapping of "
            + memory.size()
            + " bytes",
        cause);
  }

  /** What became of memory that can't be accessed any more: nobody truncates a device. */
  private static String lost(PoolOptions options) {
    return options.kind() == PoolKind.DEVDAX ? "could not be read (poison?)" : "was truncated";
  }

  /** Whether the record in {@code extent} matches its publish word and its checksums. */
  public boolean isIntact(Extent extent, long publishWord) {
    return PoolRecovery.intactHeader(this, extent.run().first(), publishWord)
        .filter(header -> header.chunks() == extent.run().count())
        .isPresent();
  }

  private void writeWord(Extent extent, long word) {
    try {
      memory.putLongRelease(extent.wordOffset(), word);
      persist(extent.wordOffset(), PoolLayout.WORD_BYTES);
      checkWhole();
    } catch (InternalError e) {
      throw truncated(e);
    }
  }

  private synchronized long takeSequences(int count) {
    // The low half stands in the publish word, where 0 means free.
    long last = nextSequence + count - 1;
    if ((int) nextSequence == 0 || nextSequence >>> Integer.SIZE != last >>> Integer.SIZE) {
      nextSequence = (last >>> Integer.SIZE << Integer.SIZE) + 1;
    }
    long taken = nextSequence;
    nextSequence += count;
    if (nextSequence > sequenceMark) {
      raiseSequenceMark();
    }
    return taken;
  }

  private synchronized void raiseSequenceMark() {
    sequenceMark = nextSequence + SEQUENCES_A_MARK;
    try {
      // Nobody reads it before it counts: a publish word is stored after it, with release.
      memory.putLong(PoolLayout.SEQUENCE_MARK_AT, sequenceMark);
      persist(PoolLayout.SEQUENCE_MARK_AT, Long.BYTES);
      checkWhole();
    } catch (InternalError e) {
      throw truncated(e);
    }
  }

  /** What it holds. */
  public PoolUsage usage() {
    return new PoolUsage(
        path(),
        options.kind(),
        header.chunkCount() * PoolLayout.CHUNK_BYTES,
        (long) allocator.used() * PoolLayout.CHUNK_BYTES,
        extents.get());
  }

  @Override
  public MappedMemory memory() {
    return memory;
  }

  @Override
  public void persist(long offset, long length) {
    if (method != DurabilityMethod.NONE) {
      long begun = System.nanoTime();
      try {
        memory.force(offset, length);
        persistNanos.add(System.nanoTime() - begun);
      } catch (UncheckedIOException e) {
        throw new StoreException(
            StoreException.Code.IO, "pool " + path() + " can't be made durable", e);
      }
    }
  }

  /**
   * Nanoseconds that were spent in making ranges durable, in all threads; 0 where none is needed.
   */
  public long persistNanos() {
    return persistNanos.sum();
  }

  @Override
  public DurabilityDomain domain() {
    return options.domain();
  }

  @Override
  public DurabilityMethod method() {
    return method;
  }

  long chunkOffset(int chunk) {
    return header.chunksStart() + (long) chunk * PoolLayout.CHUNK_BYTES;
  }

  long wordOffset(int chunk) {
    return PoolLayout.TABLE_START + (long) chunk * PoolLayout.WORD_BYTES;
  }

  int chunkCount() {
    return (int) header.chunkCount();
  }

  /** Unmaps; an ephemeral pool is unlinked. No thread may use it any more. */
  @Override
  public void close() {
    close(true);
  }

  /**
   * Ends ownership like {@link #close}, but leaves the mapping in place for those who still use it;
   * it goes with the process.
   */
  public void abandon() {
    close(false);
  }

  private void close(boolean unmap) {
    try (place) {
      if (options.ephemeral()) {
        Files.deleteIfExists(path());
      }
      if (unmap) {
        memory.close();
      }
    } catch (IOException e) {
      throw new StoreException(StoreException.Code.IO, "pool " + path() + " can't be unlinked", e);
    }
  }
}
