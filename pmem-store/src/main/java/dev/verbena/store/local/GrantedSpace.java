// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.manifest.ManifestBuilder;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.Each;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.store.pool.RecoveredRecord;
import java.util.List;
import java.util.function.Consumer;

/**
 * Gives out space of a store to writers elsewhere, and commits map outputs that they wrote: by the
 * same rules as {@link LocalBlockStore#openMapOutput}, so that no reader can tell. Thread-safe.
 */
public final class GrantedSpace {
  private final LocalBlockStore store;

  GrantedSpace(LocalBlockStore store) {
    this.store = store;
  }

  /**
   * Takes space for one record.
   *
   * @param least bytes of payload it must have room for
   * @param wanted bytes of payload that would be best
   * @throws StoreException POOL_FULL, CLOSED
   */
  public GrantedExtent reserve(long least, long wanted) {
    store.uses().enter();
    boolean done = false;
    try {
      Placement place = store.pools().reserve(least, wanted);
      GrantedExtent extent =
          new GrantedExtent(
              store,
              place,
              GrantedExtent.Kind.SEGMENT,
              1,
              place.extent().pool().newSequences(1),
              () -> LocalBlockStore.end(place));
      done = true;
      return extent;
    } finally {
      if (!done) {
        store.uses().exit();
      }
    }
  }

  /**
   * Takes space for entries of a log. When it is given back, what was published there as granted is
   * in the log, and what is left is free.
   *
   * @param least bytes of payload that one entry must have room for
   * @param wanted bytes in all that would be best, with what the entries' headers take up
   * @throws StoreException POOL_FULL, QUOTA_EXCEEDED, CLOSED
   */
  public GrantedRun reserveRun(String application, int log, long least, long wanted) {
    return store.logs().grant(application, log, least, wanted);
  }

  /**
   * Commits a map output whose segments were published in granted extents. Their writer must have
   * no access any more: what is checked here must not change behind the check. The extents are over
   * afterwards, also if it fails.
   *
   * @param checksums one for each partition, or none
   * @throws StoreException INVALID_ARGUMENT for a list that contradicts itself or the records,
   *     CORRUPT if a segment was not published as granted, POOL_FULL, QUOTA_EXCEEDED: space counts
   *     as the application's from here on
   */
  public MapOutputCommit commit(
      MapOutputKey key, int partitions, List<GrantedSegment> segments, long[] checksums) {
    boolean done = false;
    SpaceCharge charge = store.charge(key.application());
    try {
      check(partitions > 0, key, "partitions", partitions);
      check(
          checksums.length == 0 || checksums.length == partitions,
          key,
          "checksums",
          checksums.length);
      ManifestBuilder manifest = new ManifestBuilder(key.application(), partitions);
      for (GrantedSegment segment : segments) {
        add(manifest, key, partitions, segment);
      }
      List<Placement> places = segments.stream().map(each -> each.extent().place()).toList();
      for (Placement place : places) {
        charge.take(RecordLayout.spaceFor(place.extent().payloadCapacity()));
      }
      MapOutputCommit commit = store.commit(key, manifest.build(checksums), places, charge);
      done = true;
      return commit;
    } finally {
      if (!done) {
        charge.close();
      }
      Consumer<GrantedExtent> end = done ? GrantedExtent::letGo : GrantedExtent::giveBack;
      Each.of(segments, segment -> end.accept(segment.extent()));
    }
  }

  private static void add(
      ManifestBuilder manifest, MapOutputKey key, int partitions, GrantedSegment segment) {
    int count = segment.offsets().length - 1;
    check(segment.first() >= 0 && segment.first() < partitions, key, "first", segment.first());
    check(count > 0 && count <= partitions - segment.first(), key, "partitions covered", count);
    GrantedExtent extent = segment.extent();
    RecordId id =
        SegmentWriter.idOf(IndexKey.hashOf(key.application()), key.shuffle(), key.mapAttempt());
    RecoveredRecord record =
        extent
            .pool()
            .adopt(extent.extent(), id, extent.sequence())
            .orElseThrow(
                () ->
                    new StoreException(
                        StoreException.Code.CORRUPT,
                        key + ": nothing was published in " + extent + " as it was granted"));
    long length = record.header().payloadBytes();
    long last = 0;
    for (long offset : segment.offsets()) {
      check(offset >= last && offset <= length, key, "offset of a partition", offset);
      last = offset;
    }
    check(segment.offsets()[0] == 0, key, "offset of the first partition", segment.offsets()[0]);
    check(last == length, key, "end of the last partition", last);
    Placement place = extent.place();
    manifest.add(
        new Segment(
            place.recordLocation(),
            place.wordLocation(),
            record.publishWord(),
            length,
            segment.first(),
            count),
        segment.offsets());
  }

  private static void check(boolean holds, MapOutputKey key, String what, long found) {
    if (!holds) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": " + what + " is " + found + ", which can't be");
    }
  }
}
