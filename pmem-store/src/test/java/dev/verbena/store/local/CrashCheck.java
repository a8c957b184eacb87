// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.crash.CrashImage;
import dev.verbena.store.crash.Outcome;
import dev.verbena.store.crash.PersistenceDomain;
import dev.verbena.store.crash.PersistenceDomain.Model;
import dev.verbena.store.crash.SimulatedMemory;
import dev.verbena.store.index.IndexDescriptor;
import dev.verbena.store.index.IndexEntry;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.PoolImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Opens what a crash left, and checks all that must hold. */
final class CrashCheck {
  /** Whose log it is. */
  static final String LOGGING = "a";

  /** Its number. */
  static final int LOG = 3;

  static final List<String> APPLICATIONS = List.of("a", "b", "after");

  private static final MapOutputKey AFTER = CrashOps.key("after", 0, 0);

  /** Opening a store again, and filling it, which makes all its pools, take the most time. */
  private static final int REOPEN_ONE_IN = 4;

  private static final int FILL_ONE_IN = 8;

  private final CrashSetup setup;
  private final Path directory;
  private final long empty;
  private final long capacity;
  private long number;
  private long cases;

  CrashCheck(CrashSetup setup, Path directory) {
    this.setup = setup;
    this.directory = directory;
    Path root = fresh();
    try (LocalBlockStore store = LocalBlockStore.open(setup.options(root))) {
      this.empty = store.usage().used();
      this.capacity = fill(store);
    } finally {
      delete(root);
    }
  }

  long cases() {
    return cases;
  }

  /** A directory of its own for one store. */
  Path fresh() {
    number++;
    return directory.resolve(Long.toString(number));
  }

  /**
   * Checks one crash.
   *
   * @param recoveryCrashes recovery is crashed too, at one of so many of its places; 0 for none
   */
  void check(CrashImage image, CrashHistory history, long seed, int recoveryCrashes) {
    cases++;
    final PersistenceDomain outside = SimulatedMemory.enter(null);
    final boolean opening = history.opening;
    final boolean quiet = history.quiet;
    Path root = fresh();
    try {
      checkWords(image, history);
      if (setup.model() == Model.KILL && !history.opening) {
        checkRemoteView(image, history);
      }
      image.write(root);
      if (setup.kept()) {
        checkStore(image, root, history, outside, seed, recoveryCrashes);
      } else {
        checkNothingLeft(root);
      }
    } finally {
      delete(root);
      history.opening = opening;
      history.quiet = quiet;
      SimulatedMemory.enter(outside);
    }
  }

  /** A publish word that stands proves the record under it. */
  private static void checkWords(CrashImage image, CrashHistory history) {
    if (!history.damageStands) {
      image
          .files()
          .forEach(
              (name, bytes) ->
                  assertThat(new PoolImage(bytes).wordsOverNothing())
                      .as("publish words over no intact record in " + name)
                      .isEmpty());
    }
  }

  private static void checkRemoteView(CrashImage image, CrashHistory history) {
    RemoteView view = new RemoteView(image);
    Optional<IndexDescriptor> found = view.descriptor();
    assertThat(found.isPresent() || !history.quiet).as("the index has a descriptor").isTrue();
    found.ifPresent(
        descriptor -> {
          for (MapOutputKey key : history.used) {
            Optional<IndexEntry> entry = view.find(descriptor, key);
            if (history.mustBeThere(key)) {
              assertThat(entry).as(key + " in the index").isPresent();
            }
            if (entry.isPresent()) {
              assertThat(history.mayBeThere(key)).as(key + " may be in the index").isTrue();
              byte[][] blocks = history.blocksOf(key);
              for (int p = 0; p < blocks.length; p++) {
                assertThat(view.block(entry.get(), p)).as(key + " " + p).isEqualTo(blocks[p]);
              }
            }
          }
        });
  }

  private void checkStore(
      CrashImage image,
      Path root,
      CrashHistory history,
      PersistenceDomain outside,
      long seed,
      int recoveryCrashes) {
    SplittableRandom random = new SplittableRandom(seed);
    PersistenceDomain domain = new PersistenceDomain(setup.model(), root, random, image);
    SimulatedMemory.enter(domain);
    if (recoveryCrashes > 0) {
      domain.listen(
          where -> {
            if (random.nextInt(recoveryCrashes) == 0) {
              crashAgain(domain, where, history, outside, random);
            }
          });
    }
    history.opening = true;
    try (LocalBlockStore store = LocalBlockStore.open(setup.options(root))) {
      domain.listen(null);
      Set<MapOutputKey> visible = checkVisible(store, history);
      List<byte[]> entries = checkLog(store, history);
      if (recoveryCrashes > 0) {
        // What recovery has shown must not go with the next crash.
        CrashHistory shown = history.crashed(outside);
        shown.opened(visible, entries);
        check(domain.crash(Outcome.LOST, random.split()), shown, random.nextLong(), 0);
      }
      checkSpace(store, domain, visible, random);
      boolean written = writeAfter(store, domain, seed);
      for (String application : APPLICATIONS) {
        store.removeApplication(application);
      }
      assertThat(written || writeAfter(store, domain, seed)).as("there is room now").isTrue();
      store.removeApplication(AFTER.application());
      checkSequences(domain, history.sequencesWith(outside));
      assertThat(store.usage().mapOutputs()).isZero();
      checkSpace(store, domain, Set.of(), random);
    }
    if (random.nextInt(REOPEN_ONE_IN) == 0) {
      checkAllIsFree(root, random);
    }
  }

  /** A store that goes on takes what is free, and says that it is full only if it is. */
  private static boolean writeAfter(LocalBlockStore store, PersistenceDomain domain, long seed) {
    byte[][] blocks = CrashOps.blocks(3, 900, seed);
    try (MapOutputWriter writer = store.openMapOutput(AFTER, blocks.length)) {
      try {
        CrashOps.append(writer, blocks, 1);
        writer.commit(new long[0]);
      } catch (StoreException e) {
        new SpaceModel(domain).checkFull(e);
        return false;
      }
    }
    checkBlocks(store, AFTER, blocks);
    return true;
  }

  /** What the outputs that are there do not need is free, and can be had. */
  private void checkSpace(
      LocalBlockStore store,
      PersistenceDomain domain,
      Set<MapOutputKey> outputs,
      SplittableRandom random) {
    SpaceModel space = new SpaceModel(domain);
    space.checkOnly(outputs, log(store));
    assertThat(store.usage().used()).as("bytes in use").isEqualTo(space.used());
    if (random.nextInt(FILL_ONE_IN) == 0) {
      assertThat(fill(store))
          .as("bytes that can be had")
          .isEqualTo(capacity - PoolImage.payloadIn(space.used() - empty));
    }
  }

  private void checkAllIsFree(Path root, SplittableRandom random) {
    try (LocalBlockStore store = LocalBlockStore.open(setup.options(root))) {
      for (String application : APPLICATIONS) {
        assertThat(store.mapOutputs(application)).isEmpty();
      }
      assertThat(store.usage().used()).as("bytes in use when all is removed").isEqualTo(empty);
      if (random.nextInt(FILL_ONE_IN) == 0) {
        assertThat(fill(store)).as("bytes that can be had then").isEqualTo(capacity);
      }
    }
  }

  private void crashAgain(
      PersistenceDomain domain,
      String where,
      CrashHistory history,
      PersistenceDomain outside,
      SplittableRandom random) {
    SplittableRandom seeded = random.split();
    PersistenceDomain inside = SimulatedMemory.enter(outside);
    try {
      check(domain.crash(Outcome.MIXED, seeded), history, seeded.nextLong(), 0);
    } catch (RuntimeException | AssertionError e) {
      throw new CrashFailure("crash in recovery, " + where, e);
    } finally {
      SimulatedMemory.enter(inside);
    }
  }

  /** Everything that must be there is, nothing else, and every block is right. */
  static Set<MapOutputKey> checkVisible(LocalBlockStore store, CrashHistory history) {
    Set<MapOutputKey> visible = new HashSet<>();
    for (String application : APPLICATIONS) {
      visible.addAll(store.mapOutputs(application));
    }
    for (MapOutputKey key : history.committed.keySet()) {
      assertThat(visible.contains(key) || history.leaving.contains(key))
          .as(key + " was committed")
          .isTrue();
    }
    for (MapOutputKey key : visible) {
      assertThat(history.mayBeThere(key)).as(key + " may be there").isTrue();
      checkBlocks(store, key, history.blocksOf(key));
    }
    assertThat(store.usage().mapOutputs()).isEqualTo(visible.size());
    return visible;
  }

  /** The entries of the log. */
  static List<LogEntry> log(LocalBlockStore store) {
    return store.logs().entries(LOGGING, LOG);
  }

  /** Every entry that must be in the log is, in its place, and nothing else; returns them. */
  static List<byte[]> checkLog(LocalBlockStore store, CrashHistory history) {
    List<byte[]> found = log(store).stream().map(entry -> entry.read().orElseThrow()).toList();
    List<byte[]> may = new ArrayList<>(history.logged);
    if (history.logging != null) {
      may.add(history.logging);
    }
    if (!history.trimming) {
      assertThat(found).as("entries in the log").hasSizeGreaterThanOrEqualTo(history.logged.size());
    }
    // What a trim has ended so far are the first ones, or, torn, any of them.
    int at = 0;
    for (byte[] entry : found) {
      while (at < may.size() && !Arrays.equals(may.get(at), entry)) {
        assertThat(history.trimming).as("an entry that is in the log was skipped").isTrue();
        at++;
      }
      assertThat(at).as("an entry that nobody appended").isLessThan(may.size());
      at++;
    }
    return found;
  }

  static void checkBlocks(LocalBlockStore store, MapOutputKey key, byte[][] blocks) {
    try (StoredMapOutput output = store.find(key).orElseThrow()) {
      assertThat(output.partitions()).isEqualTo(blocks.length);
      for (int p = 0; p < blocks.length; p++) {
        try (InputStream in = output.open(p, p + 1)) {
          assertThat(in.readAllBytes()).as(key + " block " + p).isEqualTo(blocks[p]);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A publish word that somebody elsewhere still holds must never come back. */
  private static void checkSequences(PersistenceDomain domain, Map<String, Long> used) {
    for (PersistenceDomain.Released released : domain.released()) {
      if (released.value() != 0
          && PoolImage.isPublishWord(released.fileBytes(), released.offset())) {
        assertThat(PoolImage.sequenceIn(released.value()))
            .as("sequence in " + released.file())
            .isGreaterThan(used.getOrDefault(released.file(), 0L));
      }
    }
  }

  private void checkNothingLeft(Path root) {
    try (LocalBlockStore store = LocalBlockStore.open(setup.options(root))) {
      assertThat(store.usage().mapOutputs()).isZero();
      assertThat(fill(store)).isEqualTo(capacity);
    }
    try (Stream<Path> left = Files.walk(root)) {
      assertThat(left.filter(Files::isRegularFile)).as("files that a dead owner left").isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes chunk by chunk until nothing is left, and gives all of it back. */
  private static long fill(LocalBlockStore store) {
    List<Placement> taken = new ArrayList<>();
    long bytes = 0;
    try {
      while (true) {
        Placement place = store.pools().reserve(1, 1);
        taken.add(place);
        bytes += place.extent().payloadCapacity();
      }
    } catch (StoreException e) {
      assertThat(e.code()).isEqualTo(StoreException.Code.POOL_FULL);
    }
    taken.forEach(place -> place.extent().discard());
    return bytes;
  }

  static void delete(Path root) {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
