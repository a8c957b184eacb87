// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.RpcException;
import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.local.SegmentedMapOutputWriter;
import dev.verbena.store.pool.RecordId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a map output into the store of another process: WRITEs into granted extents, a call to
 * commit. See {@link GrantClient#openMapOutput}.
 *
 * <p>If the answer to a commit is lost, the output may have been committed or not. An abort has no
 * effect on a store that can't be reached: the lease ends there.
 */
public final class RemoteMapOutputWriter extends SegmentedMapOutputWriter<RemoteSegment> {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteMapOutputWriter.class);

  private final GrantClient client;
  private final List<CommitLayout.WireSegment> sealed = new ArrayList<>();
  private Staging staging;
  private Durability durability;

  RemoteMapOutputWriter(GrantClient client, MapOutputKey key, int partitions) {
    super(key, partitions);
    this.client = client;
  }

  @Override
  protected RemoteSegment openSegment(int partition, long wanted) {
    if (staging == null) {
      staging = client.newStaging();
    }
    ClientGrant grant = client.grant(key().application(), 1, wanted);
    return new RemoteSegment(client, grant, staging, partition);
  }

  @Override
  protected void sealSegment(RemoteSegment segment, RecordId id) {
    Durability one = segment.seal(id);
    durability = durability == null ? one : durability.and(one);
    sealed.add(segment.listed());
  }

  @Override
  protected MapOutputCommit commitSegments(long[] checksums) {
    markBroken();
    seal();
    return client.commit(new CommitLayout.Request(key(), partitions(), sealed, checksums));
  }

  /** What the segments sealed so far survive, and by what; the least of them. */
  public Optional<Durability> durability() {
    return Optional.ofNullable(durability);
  }

  /** The segment under way. */
  Optional<RemoteSegment> openSegment() {
    return underWay();
  }

  @Override
  protected void release() {
    if (staging != null) {
      staging.close();
    }
  }

  @Override
  protected void giveBack(Optional<RemoteSegment> underWay) {
    List<Long> grants = new ArrayList<>();
    sealed.forEach(segment -> grants.add(segment.grant()));
    underWay.ifPresent(segment -> grants.add(segment.grant().terms().grant()));
    try {
      if (!grants.isEmpty()) {
        // A WRITE on its way must not meet a key that is gone.
        staging.quiet(client.deadline());
        client.abandon(grants.stream().mapToLong(Long::longValue).toArray());
      }
    } catch (RpcException | StoreException e) {
      LOG.info("{}: the store takes its grants back by itself: {}", key(), e.getMessage());
    } finally {
      release();
    }
  }
}
