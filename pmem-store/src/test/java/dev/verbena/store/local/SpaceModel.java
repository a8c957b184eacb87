// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.crash.Outcome;
import dev.verbena.store.crash.PersistenceDomain;
import dev.verbena.store.index.DescriptorLayout;
import dev.verbena.store.index.IndexDescriptor;
import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.PoolImage;
import dev.verbena.store.pool.PoolLayout;
import java.util.BitSet;
import java.util.Collection;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What must be taken in a live store and what must be free, by what stands in its files: published
 * records and the index's table are taken, and nothing else is.
 */
final class SpaceModel {
  private static final Pattern ASKED = Pattern.compile("no room for a record of (\\d+) bytes");

  private final RemoteView view;
  private final IndexDescriptor index;
  private final TreeMap<Integer, BitSet> taken = new TreeMap<>();

  /** Looks at a store in {@code domain} of which nobody writes. */
  SpaceModel(PersistenceDomain domain) {
    view = new RemoteView(domain.crash(Outcome.KEPT, new SplittableRandom(0)));
    view.pools().forEach((number, pool) -> taken.put(number, pool.published()));
    index = view.descriptor().orElseThrow();
    int first = pool(index.table()).chunkOfPayload(Location.offset(index.table()));
    take(index.table(), first, PoolImage.chunksFor(DescriptorLayout.tableBytes(index.buckets())));
  }

  /** Counts space as taken that somebody holds and has not published. */
  SpaceModel with(Collection<Placement> held) {
    for (Placement place : held) {
      long payload = place.extent().payloadOffset();
      int first = pool(place.recordLocation()).chunkOfPayload(payload);
      take(place.recordLocation(), first, PoolImage.chunksFor(place.extent().payloadCapacity()));
    }
    return this;
  }

  private void take(long location, int first, int count) {
    BitSet chunks = taken.get(Location.pool(location));
    assertThat(chunks.get(first, first + count).isEmpty()).as("taken twice: " + first).isTrue();
    chunks.set(first, first + count);
  }

  /** Bytes that are in use. */
  long used() {
    return (long) PoolLayout.CHUNK_BYTES * chunks();
  }

  private int chunks() {
    return taken.values().stream().mapToInt(BitSet::cardinality).sum();
  }

  /** No record stands that belongs to none of these. */
  void checkOnly(Collection<MapOutputKey> outputs, Collection<LogEntry> entries) {
    int chunks = PoolImage.chunksFor(DescriptorLayout.tableBytes(index.buckets()));
    for (MapOutputKey key : outputs) {
      chunks += view.chunks(view.find(index, key).orElseThrow());
    }
    for (LogEntry entry : entries) {
      chunks += PoolImage.chunksFor(entry.length());
    }
    assertThat(chunks())
        .as("chunks of the outputs that are there, of their index and of the log")
        .isEqualTo(chunks);
  }

  /** The store said that there is no room: so it is. */
  void checkFull(StoreException refusal) {
    assertThat(refusal.code()).isEqualTo(StoreException.Code.POOL_FULL);
    Matcher asked = ASKED.matcher(refusal.getMessage());
    assertThat(asked.find()).as(refusal.getMessage()).isTrue();
    assertThat(view.pools()).as("pools that were made").hasSize(CrashSetup.POOLS);
    assertThat(longestRun())
        .as("free chunks in a row when it said: " + refusal.getMessage())
        .isLessThan(PoolImage.chunksFor(Long.parseLong(asked.group(1))));
  }

  private int longestRun() {
    int longest = 0;
    for (var pool : view.pools().entrySet()) {
      BitSet chunks = taken.get(pool.getKey());
      int end = pool.getValue().chunks();
      for (int free = chunks.nextClearBit(0); free < end; ) {
        int next = chunks.nextSetBit(free);
        int stop = next < 0 ? end : next;
        longest = Math.max(longest, stop - free);
        free = chunks.nextClearBit(stop);
      }
    }
    return longest;
  }

  private PoolImage pool(long location) {
    return view.pools().get(Location.pool(location));
  }
}
