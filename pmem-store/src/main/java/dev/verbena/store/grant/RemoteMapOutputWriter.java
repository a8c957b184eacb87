// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.RpcException;
import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.local.PartitionOutputStream;
import dev.verbena.store.manifest.ManifestLayout;
import dev.verbena.store.pool.RecordId;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a map output into the store of another process: WRITEs into granted extents, a call to
 * commit. See {@link GrantClient#openMapOutput}.
 */
public final class RemoteMapOutputWriter implements MapOutputWriter {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteMapOutputWriter.class);
  private static final long FIRST_SEGMENT = 1 << 20;
  private static final long GROWTH = 4;
  private static final long LARGEST_SEGMENT = 64 << 20;
  private static final int STEP_BYTES = 64 << 10;

  private final GrantClient client;
  private final MapOutputKey key;
  private final long[] lengths;
  private final RecordId segmentId;
  private final List<CommitLayout.WireSegment> sealed = new ArrayList<>();
  private RemoteSegment open;
  private Staging staging;
  private Durability durability;
  private long nextSegment = FIRST_SEGMENT;
  private int lastPartition;
  private byte[] step;
  private boolean broken;
  private boolean finished;

  RemoteMapOutputWriter(GrantClient client, MapOutputKey key, int partitions) {
    this.client = client;
    this.key = key;
    this.lengths = new long[partitions];
    this.segmentId =
        new RecordId(
            ManifestLayout.SEGMENT_RECORD_KIND,
            IndexKey.hashOf(key.application()),
            key.shuffle(),
            key.mapAttempt());
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
    begin(partition);
    put(partition, source, offset, length);
    broken = false;
  }

  @Override
  public void append(int partition, ByteBuffer source) {
    begin(partition);
    if (step == null) {
      step = new byte[STEP_BYTES];
    }
    while (source.hasRemaining()) {
      int run = Math.min(step.length, source.remaining());
      source.get(step, 0, run);
      put(partition, step, 0, run);
    }
    broken = false;
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
      done +=
          segmentFor(partition, length - done).put(partition, source, offset + done, length - done);
    }
    lengths[partition] += length;
  }

  private RemoteSegment segmentFor(int partition, long expected) {
    if (open != null && open.room() == 0) {
      seal();
    }
    if (open == null) {
      if (staging == null) {
        staging = client.newStaging();
      }
      long wanted = Math.min(Math.max(expected, nextSegment), LARGEST_SEGMENT);
      ClientGrant grant = client.grant(key.application(), 1, wanted);
      open = new RemoteSegment(client, grant, staging, partition);
      nextSegment = Math.min(nextSegment * GROWTH, LARGEST_SEGMENT);
    }
    return open;
  }

  private void seal() {
    if (open != null) {
      Durability one = open.seal(segmentId);
      durability = durability == null ? one : durability.and(one);
      sealed.add(open.listed());
      open = null;
    }
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

  /**
   * {@inheritDoc}
   *
   * <p>If the answer is lost, the output may have been committed or not.
   */
  @Override
  public MapOutputCommit commit(long[] checksums) {
    checkOpen();
    if (checksums.length != 0 && checksums.length != lengths.length) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": " + checksums.length + " checksums, expected 0 or " + lengths.length);
    }
    broken = true;
    seal();
    MapOutputCommit commit =
        client.commit(new CommitLayout.Request(key, lengths.length, sealed, checksums));
    finish();
    return commit;
  }

  /** What the segments sealed so far survive, and by what; the least of them. */
  public Optional<Durability> durability() {
    return Optional.ofNullable(durability);
  }

  /** The segment under way. */
  Optional<RemoteSegment> openSegment() {
    return Optional.ofNullable(open);
  }

  private void finish() {
    finished = true;
    if (staging != null) {
      staging.close();
    }
  }

  /** {@inheritDoc} Has no effect on a store that can't be reached: the lease ends there. */
  @Override
  public void abort() {
    if (finished) {
      return;
    }
    List<Long> grants = new ArrayList<>();
    sealed.forEach(segment -> grants.add(segment.grant()));
    openSegment().ifPresent(segment -> grants.add(segment.grant().terms().grant()));
    try {
      if (!grants.isEmpty()) {
        // A WRITE on its way must not meet a key that is gone.
        staging.quiet(client.deadline());
        client.abandon(grants.stream().mapToLong(Long::longValue).toArray());
      }
    } catch (RpcException | StoreException e) {
      LOG.info("{}: the store takes its grants back by itself: {}", key, e.getMessage());
    } finally {
      finish();
    }
  }

  @Override
  public void close() {
    abort();
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
