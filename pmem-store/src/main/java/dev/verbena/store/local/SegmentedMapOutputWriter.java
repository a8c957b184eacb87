// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.pool.RecordId;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;

/**
 * Writes a map output as a list of segments: one is sealed when it is full, in the middle of a
 * partition too, and when a round begins, since partitions ascend within a segment. Where segments
 * lie and how they are committed is the subclass's matter. One thread.
 *
 * @param <S> a segment under way
 */
public abstract class SegmentedMapOutputWriter<S extends OutputSegment> implements MapOutputWriter {
  private static final long FIRST_SEGMENT = 1 << 20;
  private static final long GROWTH = 4;
  private static final long LARGEST_SEGMENT = 64 << 20;
  private static final int STEP_BYTES = 64 << 10;

  private final MapOutputKey key;
  private final long[] lengths;
  private final RecordId segmentId;
  private S open;
  private long nextSegment = FIRST_SEGMENT;
  private int lastPartition;
  private byte[] step;
  private boolean broken;
  private boolean finished;

  /** Creates a writer of an output without segments. */
  protected SegmentedMapOutputWriter(MapOutputKey key, int partitions) {
    this.key = key;
    this.lengths = new long[partitions];
    this.segmentId =
        SegmentWriter.idOf(IndexKey.hashOf(key.application()), key.shuffle(), key.mapAttempt());
  }

  /** Begins a segment with a partition; it may have less room than {@code wanted} bytes. */
  protected abstract S openSegment(int partition, long wanted);

  /** Publishes the record of a segment and remembers it for the commit. */
  protected abstract void sealSegment(S segment, RecordId id);

  /** {@link #seal Seals} the last segment and commits all. */
  protected abstract MapOutputCommit commitSegments(long[] checksums);

  /** After a commit: lets go what the writer holds. */
  protected abstract void release();

  /** Ends without a commit: gives back the sealed segments and the one under way, if there is. */
  protected abstract void giveBack(Optional<S> underWay);

  @Override
  public final MapOutputKey key() {
    return key;
  }

  @Override
  public final int partitions() {
    return lengths.length;
  }

  @Override
  public final void append(int partition, byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    begin(partition);
    put(partition, source, offset, length);
    broken = false;
  }

  @Override
  public final void append(int partition, ByteBuffer source) {
    begin(partition);
    put(partition, source);
    broken = false;
  }

  @Override
  public final OutputStream streamTo(int partition) {
    checkOpen();
    Objects.checkIndex(partition, lengths.length);
    return new PartitionOutputStream(this, partition);
  }

  @Override
  public final void startRound() {
    checkOpen();
    broken = true;
    seal();
    lastPartition = 0;
    broken = false;
  }

  @Override
  public final long partitionLength(int partition) {
    return lengths[partition];
  }

  @Override
  public final MapOutputCommit commit(long[] checksums) {
    checkOpen();
    if (checksums.length != 0 && checksums.length != lengths.length) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": " + checksums.length + " checksums, expected 0 or " + lengths.length);
    }
    MapOutputCommit commit = commitSegments(checksums);
    finished = true;
    release();
    return commit;
  }

  @Override
  public final void abort() {
    if (!finished) {
      finished = true;
      giveBack(underWay());
    }
  }

  @Override
  public final void close() {
    abort();
  }

  /** The segment under way. */
  protected final Optional<S> underWay() {
    return Optional.ofNullable(open);
  }

  /** Seals the segment under way, if there is one. */
  protected final void seal() {
    if (open != null) {
      sealSegment(open, segmentId);
      open = null;
    }
  }

  /** From now on the writer can only be aborted. */
  protected final void markBroken() {
    broken = true;
  }

  private void begin(int partition) {
    checkOpen();
    Objects.checkIndex(partition, lengths.length);
    if (partition < lastPartition) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": append to partition " + partition + " after partition " + lastPartition);
    }
    lastPartition = partition;
    broken = true;
  }

  private void put(int partition, byte[] source, int offset, int length) {
    int done = 0;
    while (done < length) {
      S segment = segmentFor(partition, length - done);
      done += segment.put(partition, source, offset + done, length - done);
    }
    lengths[partition] += length;
  }

  private void put(int partition, ByteBuffer source) {
    if (source.hasArray()) {
      int length = source.remaining();
      put(partition, source.array(), source.arrayOffset() + source.position(), length);
      source.position(source.limit());
      return;
    }
    if (step == null) {
      step = new byte[STEP_BYTES];
    }
    while (source.hasRemaining()) {
      int run = Math.min(step.length, source.remaining());
      source.get(step, 0, run);
      put(partition, step, 0, run);
    }
  }

  private S segmentFor(int partition, long expected) {
    if (open != null && open.room() == 0) {
      seal();
    }
    if (open == null) {
      open = openSegment(partition, Math.min(Math.max(expected, nextSegment), LARGEST_SEGMENT));
      nextSegment = Math.min(nextSegment * GROWTH, LARGEST_SEGMENT);
    }
    return open;
  }

  private void checkOpen() {
    if (finished) {
      throw new StoreException(StoreException.Code.CLOSED, key + ": the writer is closed");
    }
    if (broken) {
      throw new StoreException(
          StoreException.Code.CLOSED, key + ": an append failed, the writer can only be aborted");
    }
  }
}
