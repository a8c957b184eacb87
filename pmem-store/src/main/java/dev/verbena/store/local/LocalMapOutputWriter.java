// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.manifest.ManifestBuilder;
import dev.verbena.store.pool.Each;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes a map output into this process's own pools. */
final class LocalMapOutputWriter extends SegmentedMapOutputWriter<SegmentWriter> {
  private final LocalBlockStore store;
  private final ManifestBuilder manifest;
  private final SpaceCharge charge;
  private final List<Placement> sealed = new ArrayList<>();

  LocalMapOutputWriter(LocalBlockStore store, MapOutputKey key, int partitions) {
    super(key, partitions);
    this.store = store;
    this.manifest = new ManifestBuilder(key.application(), partitions);
    this.charge = store.charge(key.application());
  }

  @Override
  protected SegmentWriter openSegment(int partition, long wanted) {
    charge.take(RecordLayout.spaceFor(1)); // Before a pool is made in vain.
    return new SegmentWriter(store.pools().reserve(1, wanted), partition, charge);
  }

  @Override
  protected void sealSegment(SegmentWriter segment, RecordId id) {
    manifest.add(segment.seal(id), segment.offsets());
    sealed.add(segment.place());
  }

  @Override
  protected MapOutputCommit commitSegments(long[] checksums) {
    seal();
    return store.commit(key(), manifest.build(checksums), sealed, charge);
  }

  @Override
  protected void release() {
    store.uses().exit();
  }

  @Override
  protected void giveBack(Optional<SegmentWriter> underWay) {
    try {
      underWay.ifPresent(segment -> segment.place().extent().discard());
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
}
