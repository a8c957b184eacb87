// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.MIB;
import static dev.verbena.store.local.StoreFixture.bytes;
import static dev.verbena.store.local.StoreFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreConcurrencyTest {
  private static final int WRITERS = 6;
  private static final int OUTPUTS = 150;
  private static final int SHUFFLES = 4;

  @TempDir Path directory;

  @Test
  void writersReadersAndRemoversNeverSeeForeignBytesAndLeaveNothing() throws Exception {
    TierOptions tier = TierOptions.memory(directory.resolve("m"), 8 * MIB, 256 * MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(tier))) {
      ExecutorService threads = Executors.newCachedThreadPool();
      AtomicInteger writing = new AtomicInteger(WRITERS);
      List<Future<Long>> done = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        int writer = w;
        done.add(threads.submit(() -> write(store, writer, writing)));
      }
      Callable<Long> reader = () -> readWhile(store, writing);
      List<Future<Long>> readers =
          List.of(threads.submit(reader), threads.submit(reader), threads.submit(reader));
      done.add(threads.submit(() -> removeWhile(store, writing)));
      for (Future<Long> future : done) {
        future.get(120, TimeUnit.SECONDS);
      }
      for (Future<Long> future : readers) {
        future.get(120, TimeUnit.SECONDS);
      }
      threads.shutdown();
      store.removeApplication("app");
      assertThat(store.usage().mapOutputs()).isZero();
      assertThat(store.usage().pools().stream().mapToLong(pool -> pool.extents()).sum())
          .as("only the index")
          .isEqualTo(1);
    }
  }

  @Test
  void ofManyCommitsOfOneKeyExactlyOneIsFirst() throws Exception {
    TierOptions tier = TierOptions.memory(directory.resolve("m"), 8 * MIB, 8 * MIB);
    try (LocalBlockStore store = LocalBlockStore.open(options(tier))) {
      ExecutorService threads = Executors.newFixedThreadPool(8);
      for (int round = 0; round < 50; round++) {
        MapOutputKey key = new MapOutputKey("app", 0, round);
        AtomicInteger first = new AtomicInteger();
        List<Future<?>> commits = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
          int length = i;
          commits.add(
              threads.submit(
                  () -> {
                    try (MapOutputWriter writer = store.openMapOutput(key, 1)) {
                      writer.append(0, new byte[length], 0, length);
                      var commit = writer.commit(new long[0]);
                      if (commit.first()) {
                        first.addAndGet(length);
                      }
                      return commit.partitionLengths()[0];
                    }
                  }));
        }
        List<Object> lengths = new ArrayList<>();
        for (Future<?> commit : commits) {
          lengths.add(commit.get(60, TimeUnit.SECONDS));
        }
        assertThat(lengths).containsOnly((long) first.get());
      }
      threads.shutdown();
      assertThat(store.usage().mapOutputs()).isEqualTo(50);
    }
  }

  private static Long write(LocalBlockStore store, int writer, AtomicInteger writing) {
    try {
      Random random = new Random(writer);
      for (int i = 0; i < OUTPUTS; i++) {
        MapOutputKey key = new MapOutputKey("app", i % SHUFFLES, writer * OUTPUTS + i);
        try (MapOutputWriter output = store.openMapOutput(key, 3)) {
          for (int p = 0; p < 3; p++) {
            byte[] block = bytes(contentLength(key, p), seed(key, p));
            output.append(p, block, 0, block.length);
          }
          if (random.nextInt(10) == 0) {
            output.abort();
          } else {
            output.commit(new long[0]);
          }
        }
      }
      return (long) OUTPUTS;
    } finally {
      writing.decrementAndGet();
    }
  }

  private static Long readWhile(LocalBlockStore store, AtomicInteger writing) throws Exception {
    Random random = new Random();
    long read = 0;
    while (writing.get() > 0) {
      int attempt = random.nextInt(WRITERS * OUTPUTS);
      MapOutputKey key = new MapOutputKey("app", attempt % OUTPUTS % SHUFFLES, attempt);
      Optional<StoredMapOutput> found = store.find(key);
      if (found.isPresent()) {
        try (StoredMapOutput output = found.get()) {
          int p = random.nextInt(3);
          try (InputStream in = output.open(p, p + 1)) {
            assertThat(in.readAllBytes()).isEqualTo(bytes(contentLength(key, p), seed(key, p)));
          }
        }
        read++;
      }
    }
    return read;
  }

  private static Long removeWhile(LocalBlockStore store, AtomicInteger writing) {
    Random random = new Random();
    long removed = 0;
    while (writing.get() > 0) {
      if (random.nextInt(50) == 0) {
        removed += store.removeShuffle("app", random.nextInt(SHUFFLES));
      } else {
        int attempt = random.nextInt(WRITERS * OUTPUTS);
        MapOutputKey key = new MapOutputKey("app", attempt % OUTPUTS % SHUFFLES, attempt);
        removed += store.removeMapOutput(key) ? 1 : 0;
      }
    }
    return removed;
  }

  private static int contentLength(MapOutputKey key, int partition) {
    return (int) ((key.mapAttempt() * 7919 + partition * 104_729L) % 60_000);
  }

  private static long seed(MapOutputKey key, int partition) {
    return key.mapAttempt() * 3 + partition;
  }
}
