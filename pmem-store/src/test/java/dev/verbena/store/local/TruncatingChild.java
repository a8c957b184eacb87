// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.bytes;
import static dev.verbena.store.local.StoreFixture.memory;
import static dev.verbena.store.local.StoreFixture.options;
import static dev.verbena.store.local.StoreFixture.read;
import static dev.verbena.store.local.StoreFixture.write;

import dev.verbena.memory.LateFault;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.testing.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Truncates pools under live readers, writers and recoveries. Each must go on until it gets an
 * error that names the pool, with right bytes until then and nothing after it.
 */
final class TruncatingChild {
  private static final int POOL_BYTES = 4 << 20;
  private static final int OUTPUTS = 8;
  private static final int OUTPUT_BYTES = 100_000;
  private static final int USERS = 5;
  private static final int RECOVERIES = 2;

  private final Path directory;
  private final Path pool;
  private final SplittableRandom random;
  private final AtomicLong done = new AtomicLong();

  private TruncatingChild(Path directory, SplittableRandom random) {
    this.directory = directory;
    this.pool = directory.resolve("m-0.pool");
    this.random = random;
  }

  /** Arguments: directory, seed, rounds. Prints a line after each round. */
  public static void main(String[] arguments) throws IOException {
    long seed = Long.parseLong(arguments[1]);
    SplittableRandom random = new SplittableRandom(seed);
    int rounds = Integer.parseInt(arguments[2]);
    long operations = 0;
    ExecutorService threads = Executors.newCachedThreadPool();
    for (int round = 0; round < rounds; round++) {
      Path directory = Files.createDirectory(Path.of(arguments[0], String.valueOf(round)));
      TruncatingChild child = new TruncatingChild(directory, random.split());
      if (round % 3 == 2) {
        child.underRecovery(threads);
      } else {
        child.underUsers(threads);
      }
      operations += child.done.get();
      System.out.println(round + 1 + " rounds, " + operations + " operations");
    }
    threads.shutdown();
  }

  private void underUsers(ExecutorService threads) throws IOException {
    try (LocalBlockStore store = LocalBlockStore.open(options(memory(directory, POOL_BYTES)))) {
      fill(store);
      List<Future<Boolean>> users = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        SplittableRandom own = random.split();
        long id = user;
        users.add(
            threads.submit(
                untilTold(
                    () -> {
                      if (id < 3) {
                        readSomething(store, own);
                      } else {
                        writeSomething(store, id, own);
                      }
                    })));
      }
      truncateAfter(10 + random.nextInt(100), 0);
      for (Future<Boolean> user : users) {
        Await.result("a user of " + pool, user);
      }
    }
  }

  private void underRecovery(ExecutorService threads) throws IOException {
    StoreOptions kept = options(memory(directory, POOL_BYTES).kept());
    try (LocalBlockStore store = LocalBlockStore.open(kept)) {
      fill(store);
    }
    Future<Boolean> opener =
        threads.submit(
            untilTold(
                () -> {
                  try (LocalBlockStore store = LocalBlockStore.open(kept)) {
                    readSomething(store, new SplittableRandom(1));
                  }
                }));
    truncateAfter(RECOVERIES, 4096); // Without a header it was never a pool, and is made anew.
    Await.result("recoveries of " + pool, opener);
  }

  private static void fill(LocalBlockStore store) {
    for (int i = 0; i < OUTPUTS; i++) {
      write(store, key("read", i), bytes(OUTPUT_BYTES, i), bytes(3, 1));
    }
  }

  private void truncateAfter(long operations, long shortest) throws IOException {
    Await.until("operations on " + pool, () -> done.get() >= operations);
    long[] lengths = {0, 4096, 4096 * 7 + 5, POOL_BYTES / 8, random.nextInt(POOL_BYTES)};
    try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
      file.setLength(Math.max(shortest, lengths[random.nextInt(lengths.length)]));
    }
  }

  /** Something of which every error but one that names the pool is the end of the test. */
  private Callable<Boolean> untilTold(Runnable operation) {
    return () -> {
      while (true) {
        try {
          operation.run();
          done.incrementAndGet();
        } catch (StoreException e) {
          if (e.code() == StoreException.Code.POOL_FULL) {
            continue;
          }
          if (!String.valueOf(e.getMessage()).contains(pool.toString())) {
            throw e;
          }
          enterTheVm();
          return true;
        }
      }
    };
  }

  /** Where an error that was left over would come up. */
  private static void enterTheVm() {
    if (LateFault.collect()) {
      throw new AssertionError("an error was left over");
    }
    List<Object> made = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      made.add(new int[i][2]);
      made.add(String.valueOf(new Object()));
    }
    if (made.size() != 200) {
      throw new AssertionError("lost: " + made.size());
    }
  }

  private static void readSomething(LocalBlockStore store, SplittableRandom random) {
    int i = random.nextInt(OUTPUTS);
    MapOutputKey key = key("read", i);
    switch (random.nextInt(3)) {
      case 0 -> {
        try (StoredMapOutput output = store.find(key).orElseThrow()) {
          check(output.partitionLength(0) == OUTPUT_BYTES, key);
          check(Arrays.equals(output.partitionLengths(), new long[] {OUTPUT_BYTES, 3}), key);
          check(output.checksums().length == 0, key);
        }
      }
      case 1 -> check(Arrays.equals(read(store, key, 1, 2), bytes(3, 1)), key);
      default -> check(Arrays.equals(read(store, key, 0, 1), bytes(OUTPUT_BYTES, i)), key);
    }
  }

  private static void writeSomething(LocalBlockStore store, long user, SplittableRandom random) {
    long attempt = user * 100 + random.nextInt(10);
    MapOutputKey key = key("written", attempt);
    write(store, key, bytes(1 + random.nextInt(OUTPUT_BYTES), attempt));
    if (random.nextBoolean()) {
      store.removeMapOutput(key("written", user * 100 + random.nextInt(10)));
    }
  }

  private static void check(boolean right, MapOutputKey key) {
    if (!right) {
      throw new AssertionError("wrong bytes of " + key);
    }
  }

  private static MapOutputKey key(String application, long attempt) {
    return new MapOutputKey(application, 0, attempt);
  }
}
