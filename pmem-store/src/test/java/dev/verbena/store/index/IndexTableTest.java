// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.TierOptions;
import dev.verbena.store.index.BucketLayout.Lookup;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.NumberedPool;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.PoolSet;
import dev.verbena.store.pool.RecordLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads the index as a peer does: by bytes copied out of pool memory, without the writer's help.
 */
class IndexTableTest {
  @TempDir Path directory;

  private PoolSet pools;
  private IndexTable table;

  @BeforeEach
  void open() {
    pools = new PoolSet(List.of(TierOptions.memory(directory.resolve("m"), 16 << 20, 64 << 20)));
    table = new IndexTable(pools);
  }

  @AfterEach
  void close() {
    pools.close();
  }

  @Test
  void everyEntryIsFoundByBytesAloneAlsoAfterTheTableGrew() {
    IndexDescriptor first = descriptor().orElseThrow();
    for (int i = 0; i < 5_000; i++) {
      table.put(entry(i));
    }
    IndexDescriptor now = descriptor().orElseThrow();

    assertThat(now.generation()).isGreaterThan(first.generation());
    assertThat(now.buckets()).isGreaterThan(first.buckets());
    assertThat(table.size()).isEqualTo(5_000);
    for (int i = 0; i < 5_000; i++) {
      assertThat(look(now, key(i))).isEqualTo(new Lookup.Found(entry(i)));
    }
    assertThat(look(now, key(5_000))).isInstanceOf(Lookup.Absent.class);
  }

  @Test
  void aTableThatWasLeftShowsNothing() {
    table.put(entry(1));
    IndexDescriptor old = descriptor().orElseThrow();
    for (int i = 2; i < 200; i++) {
      table.put(entry(i));
    }

    assertThat(look(old, key(1))).isNotInstanceOf(Lookup.Found.class);
    assertThat(descriptor().orElseThrow()).isNotEqualTo(old);
  }

  @Test
  void removedEntriesAreAbsentAndTheirBucketsAreUsedAgain() {
    for (int i = 0; i < 1_000; i++) {
      table.put(entry(i));
    }
    IndexDescriptor before = descriptor().orElseThrow();
    for (int round = 1; round < 10; round++) {
      for (int i = 0; i < 1_000; i++) {
        assertThat(table.remove(key((round - 1) * 1_000 + i))).isTrue();
        table.put(entry(round * 1_000 + i));
      }
    }

    IndexDescriptor now = descriptor().orElseThrow();
    assertThat(now.buckets())
        .as("ten times as many keys at most met in one full window")
        .isLessThanOrEqualTo(2 * before.buckets());
    assertThat(table.remove(key(5))).isFalse();
    assertThat(look(now, key(5))).isInstanceOf(Lookup.Absent.class);
    assertThat(look(now, key(9_500))).isEqualTo(new Lookup.Found(entry(9_500)));
  }

  @Test
  void aTableThatGrewGivesBackWhatItLeavesAndShrinksAgain() {
    final long first = used();
    for (int i = 0; i < 5_000; i++) {
      table.put(entry(i));
      assertThat(used()).isEqualTo(spaceFor(descriptor().orElseThrow().buckets()));
    }
    for (int i = 0; i < 5_000; i++) {
      assertThat(table.remove(key(i))).isTrue();
      IndexDescriptor now = descriptor().orElseThrow();
      assertThat(used()).isEqualTo(spaceFor(now.buckets()));
      assertThat(look(now, key(i))).isInstanceOf(Lookup.Absent.class);
      if (i % 100 == 0) {
        for (int left = i + 1; left < 5_000; left++) {
          assertThat(look(now, key(left))).isEqualTo(new Lookup.Found(entry(left)));
        }
      }
    }
    assertThat(used()).isEqualTo(first);
  }

  @Test
  void aTableThatFindsNoRoomForASmallerOneStaysAsItIs() {
    for (int i = 0; i < 1_000; i++) {
      table.put(entry(i));
    }
    List<Placement> taken = new ArrayList<>();
    for (NumberedPool pool : pools.pools()) {
      for (Optional<Extent> one = pool.pool().reserve(1, 1);
          one.isPresent();
          one = pool.pool().reserve(1, 1)) {
        taken.add(new Placement(pool.number(), one.get()));
      }
    }
    IndexDescriptor before = descriptor().orElseThrow();
    for (int i = 1; i < 1_000; i++) {
      table.remove(key(i));
    }
    assertThat(descriptor()).contains(before);
    assertThat(pools.pools()).as("no pool is made for it").hasSize(1);
    assertThat(look(before, key(0))).isEqualTo(new Lookup.Found(entry(0)));
    taken.forEach(place -> place.extent().discard());
    table.put(entry(1));
    table.remove(key(1));
    assertThat(descriptor().orElseThrow().buckets()).isLessThan(before.buckets());
  }

  @Test
  void noReaderEverSeesAWrongEntryWhileTheTableChanges() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    AtomicBoolean writing = new AtomicBoolean(true);
    Future<Integer> reader = threads.submit(() -> readWhile(writing));
    Future<Integer> other = threads.submit(() -> readWhile(writing));
    Random random = new Random(3);
    Set<Integer> there = new HashSet<>();
    for (int i = 0; i < 60_000; i++) {
      int id = random.nextInt(4_000);
      if (there.remove(id)) {
        table.remove(key(id));
      } else {
        there.add(id);
        table.put(entry(id));
      }
    }
    writing.set(false);

    assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
    assertThat(other.get(60, TimeUnit.SECONDS)).isPositive();
    threads.shutdown();
  }

  @Test
  void anyFlippedBitOfABucketIsNoticed() {
    byte[] bucket = BucketLayout.encode(entry(7), 1);
    assertThat(BucketLayout.decode(bucket, 0)).contains(entry(7));
    for (int bit = 0; bit < bucket.length * 8; bit++) {
      byte[] torn = bucket.clone();
      torn[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThat(BucketLayout.decode(torn, 0)).isEmpty();
    }
  }

  private int readWhile(AtomicBoolean writing) {
    Random random = new Random();
    int found = 0;
    while (writing.get() || found == 0) {
      int id = random.nextInt(4_000);
      Optional<IndexDescriptor> now = descriptor();
      if (now.isPresent() && look(now.get(), key(id)) instanceof Lookup.Found hit) {
        assertThat(hit.entry()).isEqualTo(entry(id));
        found++;
      }
    }
    return found;
  }

  private long used() {
    return pools.pools().stream().mapToLong(pool -> pool.pool().usage().used()).sum();
  }

  private static long spaceFor(long buckets) {
    return RecordLayout.spaceFor(DescriptorLayout.tableBytes(buckets));
  }

  private Optional<IndexDescriptor> descriptor() {
    return DescriptorLayout.decode(copy(table.descriptorLocation(), DescriptorLayout.BYTES));
  }

  private Lookup look(IndexDescriptor now, IndexKey key) {
    long at = now.table() + key.bucket(now.buckets()) * BucketLayout.BYTES;
    return BucketLayout.find(copy(at, BucketLayout.WINDOW_BYTES), key);
  }

  private byte[] copy(long location, int bytes) {
    MappedMemory memory = pools.pool(Location.pool(location)).orElseThrow().memory();
    byte[] copy = new byte[bytes];
    memory.get(Location.offset(location), copy, 0, bytes);
    return copy;
  }

  private static IndexKey key(int id) {
    return IndexKey.of("app", id % 7, id);
  }

  private static IndexEntry entry(int id) {
    return new IndexEntry(key(id), id + 1, Location.pack(1, 4096L * id), 100 + id, ~(long) id);
  }
}
