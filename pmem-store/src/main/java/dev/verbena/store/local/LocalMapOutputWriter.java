// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.manifest.ManifestBuilder;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Writes a map output as a list of segments: one is sealed when it is full, in the middle of a
 * partition too, and when a round begins, since partitions ascend within a segment.
 */
final class LocalMapOutputWriter implements MapOutputWriter {
  private static final long FIRST_SEGMENT = 1 << 20;
  private static final long GROWTH = 4;
  private static final long LARGEST_SEGMENT = 64 << 20;
  private static final int STEP_BYTES = 64 << 10;

  private final LocalBlockStore store;
  private final MapOutputKey key;
  private final long[] lengths;
  private final RecordId segmentId;
  private final ManifestBuilder manifest;
  private final SpaceCharge charge;
  private final List<Placement> sealed = new ArrayList<>();
  private SegmentWriter open;
  private long nextSegment = FIRST_SEGMENT;
  private int lastPartition;
  private byte[] step;
  private boolean broken;
  private boolean finished;

  LocalMapOutputWriter(LocalBlockStore store, MapOutputKey key, int partitions) {
    this.store = store;
    this.key = key;
    this.lengths = new long[partitions];
    this.segmentId =
        SegmentWriter.idOf(IndexKey.hashOf(key.application()), key.shuffle(), key.mapAttempt());
    this.manifest = new ManifestBuilder(key.application(), partitions);
    this.charge = store.charge(key.application());
  }

  @Override
  public MapOutputKey key() {
    return key;
  }

  @Override
  public int partitions() {
    return lengths.length;
  }

  @Override
  public void append(int partition, byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    checkOpen();
    checkAscending(partition);
    broken = true;
    put(partition, source, offset, length);
    broken = false;
  }

  @Override
  public void append(int partition, ByteBuffer source) {
    checkOpen();
    checkAscending(partition);
    broken = true;
    put(partition, source);
    broken = false;
  }

  @Override
  public OutputStream streamTo(int partition) {
    checkOpen();
    Objects.checkIndex(partition, lengths.length);
    return new PartitionOutputStream(this, partition);
  }

  @Override
  public void startRound() {
    checkOpen();
    broken = true;
    seal();
    lastPartition = 0;
    broken = false;
  }

  @Override
  public long partitionLength(int partition) {
    return lengths[partition];
  }

  @Override
  public MapOutputCommit commit(long[] checksums) {
    checkOpen();
    if (checksums.length != 0 && checksums.length != lengths.length) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": " + checksums.length + " checksums, expected 0 or " + lengths.length);
    }
    seal();
    MapOutputCommit commit = store.commit(key, manifest.build(checksums), sealed, charge);
    finished = true;
    store.uses().exit();
    return commit;
  }

  @Override
  public void abort() {
    if (finished) {
      return;
    }
    finished = true;
    try {
      if (open != null) {
        open.place().extent().discard();
      }
    } finally {
      giveBackSealed();
    }
  }

  private void giveBackSealed() {
    try {
      Each.of(sealed, LocalBlockStore::end);
    } finally {
      charge.close();
      store.uses().exit();
    }
  }

  @Override
  public void close() {
    abort();
  }

  private void put(int partition, byte[] source, int offset, int length) {
    int done = 0;
    while (done < length) {
      SegmentWriter segment = segmentFor(partition, length - done);
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

  private SegmentWriter segmentFor(int partition, long expected) {
    if (open != null && open.room() == 0) {
      seal();
    }
    if (open == null) {
      long wanted = Math.min(Math.max(expected, nextSegment), LARGEST_SEGMENT);
      charge.take(RecordLayout.spaceFor(1)); // Before a pool is made in vain.
      open = new SegmentWriter(store.pools().reserve(1, wanted), partition, charge);
      nextSegment = Math.min(nextSegment * GROWTH, LARGEST_SEGMENT);
    }
    return open;
  }

  private void seal() {
    if (open != null) {
      manifest.add(open.seal(segmentId), open.offsets());
      sealed.add(open.place());
      open = null;
    }
  }

  private void checkAscending(int partition) {
    Objects.checkIndex(partition, lengths.length);
    if (partition < lastPartition) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": append to partition " + partition + " after partition " + lastPartition);
    }
    lastPartition = partition;
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
