// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.crash.Outcome;
import dev.verbena.store.crash.PersistenceDomain;
import dev.verbena.store.crash.SimulatedMemory;
import dev.verbena.testing.Await;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;

/**
 * A removal whose manifest is on its way to the disk, met by commits: of another key, which must
 * not wait, and of the same one, which must.
 */
final class CrashMeeting {
  private static final MapOutputKey REMOVED = CrashOps.key("a", 0, 0);

  private final CrashSetup setup;
  private final CrashCheck check;
  private final Path root;
  private final PersistenceDomain domain;
  private final CrashHistory history = new CrashHistory();
  private FutureTask<Boolean> same;

  CrashMeeting(CrashSetup setup, CrashCheck check) {
    this.setup = setup;
    this.check = check;
    this.root = check.fresh();
    this.domain = new PersistenceDomain(setup.model(), root, new SplittableRandom(1));
  }

  void run() {
    PersistenceDomain outside = SimulatedMemory.enter(domain);
    try (LocalBlockStore store = LocalBlockStore.open(setup.options(root))) {
      run(store);
    } finally {
      SimulatedMemory.enter(outside);
      CrashCheck.delete(root);
    }
  }

  private void run(LocalBlockStore store) {
    byte[][] blocks = CrashOps.blocks(1, 100, 1);
    CrashOps.write(store, REMOVED, blocks, 1);
    history.used.add(REMOVED);
    history.committed.put(REMOVED, blocks);
    history.leaving.add(REMOVED);
    domain.listen(
        where -> {
          if (where.startsWith("before persist")) {
            domain.listen(null);
            meet(store);
          }
        });
    assertThat(store.removeMapOutput(REMOVED)).isTrue();
    domain.listen(null);
    assertThat(same).as("the removal was met").isNotNull();
    assertThat(Await.result("the commit of the same key", same)).isTrue();
    CrashCheck.checkBlocks(store, REMOVED, CrashOps.blocks(1, 200, 3));
  }

  /** On the removing thread, which goes on afterwards. */
  private void meet(LocalBlockStore store) {
    MapOutputKey other = keyElsewhere();
    byte[][] blocks = CrashOps.blocks(1, 300, 2);
    FutureTask<Boolean> beside = new FutureTask<>(() -> writeIn(domain, store, other, blocks));
    new Thread(beside, "commit of another key").start();
    assertThat(Await.result("the commit of another key", beside)).isTrue();
    history.used.add(other);
    history.committed.put(other, blocks);
    SplittableRandom random = new SplittableRandom(2);
    for (Outcome outcome : Outcome.values()) {
      check.check(domain.crash(outcome, random), history, random.nextLong(), 2);
    }
    same = new FutureTask<>(() -> writeIn(null, store, REMOVED, CrashOps.blocks(1, 200, 3)));
    Thread waiting = new Thread(same, "commit of the same key");
    waiting.start();
    Await.until(
        "the commit of the same key waits", () -> waiting.getState() == Thread.State.BLOCKED);
  }

  private static boolean writeIn(
      PersistenceDomain domain, LocalBlockStore store, MapOutputKey key, byte[][] blocks) {
    SimulatedMemory.enter(domain);
    return CrashOps.write(store, key, blocks, 1).first();
  }

  private static MapOutputKey keyElsewhere() {
    return CrashOps.KEYS.stream()
        .filter(key -> lock(key) != lock(REMOVED))
        .findFirst()
        .orElseThrow();
  }

  private static int lock(MapOutputKey key) {
    return Math.floorMod(key.hashCode(), LocalBlockStore.KEY_LOCKS);
  }
}
