// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.MIB;
import static dev.verbena.store.local.StoreFixture.bytes;
import static dev.verbena.store.local.StoreFixture.memory;
import static dev.verbena.store.local.StoreFixture.options;
import static dev.verbena.store.local.StoreFixture.read;
import static dev.verbena.store.local.StoreFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuotaTest {
  private static final int CHUNK = 4096;

  /** Two chunks: the segment and the manifest. */
  private static final int SMALLEST = 2 * CHUNK;

  @TempDir Path directory;

  private StoreOptions quota(long bytes) {
    return options(memory(directory, 8 * MIB)).withApplicationQuota(bytes);
  }

  @Test
  void anApplicationOverItsQuotaIsToldWhatItHasAndWhatItAskedFor() {
    try (LocalBlockStore store = LocalBlockStore.open(quota(10 * CHUNK))) {
      write(store, key("greedy", 1), bytes(5 * CHUNK, 1));
      assertThat(store.usedBy("greedy")).isEqualTo(7 * CHUNK);

      assertRefused(store, key("greedy", 2), 3 * CHUNK)
          .hasMessageContaining("greedy")
          .hasMessageContaining("quota of " + 10 * CHUNK)
          .hasMessageContaining("uses " + 8 * CHUNK)
          .hasMessageContaining("no room for " + 3 * CHUNK + " more");
      assertThat(store.usedBy("greedy")).isEqualTo(7 * CHUNK);
      assertThat(read(store, key("greedy", 1), 0, 1)).isEqualTo(bytes(5 * CHUNK, 1));
    }
  }

  @Test
  void theQuotaCanBeUsedToTheLastChunk() {
    try (LocalBlockStore store = LocalBlockStore.open(quota(5 * CHUNK))) {
      write(store, key("a", 1), bytes(4 * CHUNK - 64, 1));
      assertThat(store.usedBy("a")).isEqualTo(5 * CHUNK);
      assertRefused(store, key("a", 2), 1);
      store.removeMapOutput(key("a", 1));
      assertRefused(store, key("a", 3), 4 * CHUNK - 63);
      write(store, key("a", 4), bytes(4 * CHUNK - 64, 1));
    }
  }

  @Test
  void aRunOfALogIsAsLongAsTheQuotaAllows() {
    try (LocalBlockStore store = LocalBlockStore.open(quota(10 * CHUNK + 1))) {
      GrantedSpace space = store.grantedSpace();
      GrantedRun run = space.reserveRun("a", 1, 1, MIB);
      assertThat(run.extent().payloadCapacity()).isEqualTo(10 * CHUNK - RecordLayout.HEADER_BYTES);
      assertThat(store.usedBy("a")).isEqualTo(10 * CHUNK);

      assertThatThrownBy(() -> space.reserveRun("a", 1, 1, MIB))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.QUOTA_EXCEEDED));
      run.extent().giveBack();
      assertThat(store.usedBy("a")).isZero();
    }
  }

  @Test
  void anOutputWhoseManifestAloneIsTooMuchIsRefusedAndLeavesNothing() {
    try (LocalBlockStore store = LocalBlockStore.open(quota(CHUNK))) {
      long before = store.usage().used();
      assertRefused(store, key("a", 1), 10);
      assertThat(store.usage().used()).isEqualTo(before);
      assertThat(store.usedBy("a")).isZero();
    }
  }

  @Test
  void noOtherApplicationFeelsIt() {
    try (LocalBlockStore store = LocalBlockStore.open(quota(SMALLEST))) {
      write(store, key("a", 1), bytes(10, 1));
      assertRefused(store, key("a", 2), 10);
      write(store, key("b", 1), bytes(10, 1));
      assertRefused(store, key("b", 2), 10);
      store.removeApplication("a");
      write(store, key("a", 3), bytes(10, 1));
      assertRefused(store, key("b", 3), 10);
    }
  }

  @Test
  void spaceComesBackByAbortAndByALostCommitAndWithTheLastPin() {
    try (LocalBlockStore store = LocalBlockStore.open(quota(2 * SMALLEST))) {
      try (MapOutputWriter writer = store.openMapOutput(key("a", 1), 1)) {
        writer.append(0, new byte[2 * CHUNK], 0, 2 * CHUNK);
        assertThat(store.usedBy("a")).isEqualTo(3 * CHUNK);
      }
      assertThat(store.usedBy("a")).isZero();

      write(store, key("a", 2), bytes(10, 1));
      write(store, key("a", 2), bytes(10, 2));
      assertThat(store.usedBy("a")).isEqualTo(SMALLEST);

      try (StoredMapOutput pin = store.find(key("a", 2)).orElseThrow()) {
        assertThat(store.removeApplication("a")).isOne();
        assertThat(pin.partitions()).isOne();
        assertThat(store.usedBy("a")).isEqualTo(SMALLEST);
      }
      assertThat(store.usedBy("a")).isZero();
    }
  }

  @Test
  void whatRecoveryFindsCountsEvenIfItIsMoreThanTheQuota() {
    StoreOptions kept = options(memory(directory, 8 * MIB).kept());
    try (LocalBlockStore store = LocalBlockStore.open(kept)) {
      write(store, key("a", 1), bytes(5 * CHUNK, 1));
    }
    try (LocalBlockStore store = LocalBlockStore.open(kept.withApplicationQuota(SMALLEST))) {
      assertThat(store.usedBy("a")).isEqualTo(7 * CHUNK);
      assertThat(read(store, key("a", 1), 0, 1)).isEqualTo(bytes(5 * CHUNK, 1));
      assertRefused(store, key("a", 2), 10);
      store.removeApplication("a");
      write(store, key("a", 2), bytes(10, 1));
    }
  }

  @Test
  void manyWritersAtOnceNeverTakeMoreAndAllOfItComesBack() {
    long quota = 60 * CHUNK;
    try (LocalBlockStore store = LocalBlockStore.open(quota(quota))) {
      final long empty = store.usage().used();
      ExecutorService threads = Executors.newCachedThreadPool();
      AtomicInteger writing = new AtomicInteger(6);
      Future<Long> highest =
          threads.submit(
              () -> {
                long most = 0;
                while (writing.get() > 0) {
                  most = Math.max(most, store.usedBy("a"));
                }
                return most;
              });
      List<Future<Integer>> writers = new ArrayList<>();
      for (int w = 0; w < 6; w++) {
        int writer = w;
        writers.add(
            threads.submit(
                () -> {
                  try {
                    return comeAndGo(store, writer);
                  } finally {
                    writing.decrementAndGet();
                  }
                }));
      }
      int refused = 0;
      for (Future<Integer> writer : writers) {
        refused += Await.result("a writer", writer);
      }
      assertThat(refused).as("some were refused").isPositive();
      assertThat(Await.result("the watcher", highest)).isPositive().isLessThanOrEqualTo(quota);
      assertThat(store.usedBy("a")).isEqualTo(store.usage().used() - empty);
      threads.shutdown();

      store.removeApplication("a");
      assertThat(store.usedBy("a")).isZero();
      write(store, key("a", 1_000), bytes((int) quota - CHUNK - 64, 1));
    }
  }

  /** Returns how often the quota was in the way. */
  private static int comeAndGo(LocalBlockStore store, int writer) {
    SplittableRandom random = new SplittableRandom(writer);
    int refused = 0;
    for (int i = 0; i < 300; i++) {
      int length = 1 + random.nextInt(12 * CHUNK);
      try (MapOutputWriter output = store.openMapOutput(key("a", writer * 1_000L + i), 1)) {
        output.append(0, new byte[length], 0, length);
        if (random.nextInt(4) > 0) {
          output.commit(new long[0]);
        }
      } catch (StoreException e) {
        assertThat(e.code()).isEqualTo(StoreException.Code.QUOTA_EXCEEDED);
        refused++;
      }
      store.removeMapOutput(key("a", writer * 1_000L + random.nextInt(i + 1)));
    }
    return refused;
  }

  private static MapOutputKey key(String application, long attempt) {
    return new MapOutputKey(application, 0, attempt);
  }

  private static AbstractThrowableAssert<?, ?> assertRefused(
      LocalBlockStore store, MapOutputKey key, int length) {
    return assertThatThrownBy(() -> write(store, key, bytes(length, 9)))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.QUOTA_EXCEEDED));
  }
}
