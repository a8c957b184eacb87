// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.crash.CrashImage;
import dev.verbena.store.crash.Outcome;
import dev.verbena.store.crash.PersistenceDomain;
import dev.verbena.store.crash.SimulatedMemory;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A long history by seed: operations at random, crashes at random places, and at one of them the
 * next generation goes on from what the crash left.
 */
final class CrashGenerations {
  private static final int GENERATIONS = 4;
  private static final int OPERATIONS = 25;
  private static final int CHECK_ONE_IN = 16;
  private static final int SUCCEED_ONE_IN = 80;
  private static final int RECOVERY_CRASHES = 20;
  private static final int SMALL = 3_000;
  private static final int LARGE = 60_000;

  private final CrashSetup setup;
  private final CrashCheck check;
  private final long seed;
  private final SplittableRandom random;
  private AssertionError failure;
  private long steps;
  private long places;

  CrashGenerations(CrashSetup setup, CrashCheck check, long seed) {
    this.setup = setup;
    this.check = check;
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  /** Runs all generations and returns at how many places a crash was taken. */
  long run() {
    Path root = check.fresh();
    live(1, root, new PersistenceDomain(setup.model(), root, random.split()), new CrashHistory());
    if (failure != null) {
      throw failure;
    }
    return places;
  }

  private void live(int generation, Path root, PersistenceDomain domain, CrashHistory history) {
    Crashes crashes = new Crashes(generation, domain, history);
    PersistenceDomain outside = SimulatedMemory.enter(domain);
    try (CrashRun run = new CrashRun(setup, root, domain, history, crashes)) {
      run.open();
      for (int i = 0; i < OPERATIONS; i++) {
        operate(run);
      }
      run.watch(false);
    } catch (RuntimeException | AssertionError e) {
      throw failed("generation " + generation, e);
    } finally {
      SimulatedMemory.enter(outside);
      CrashCheck.delete(root);
    }
  }

  private void operate(CrashRun run) {
    MapOutputKey key = CrashOps.KEYS.get(random.nextInt(CrashOps.KEYS.size()));
    int size = random.nextInt(8) == 0 ? LARGE : 1 + random.nextInt(SMALL);
    byte[][] blocks = CrashOps.blocks(1 + random.nextInt(3), size, random.nextLong());
    int rounds = 1 + random.nextInt(2);
    switch (random.nextInt(14)) {
      case 0 -> run.abort(key, blocks, rounds);
      case 1, 2 -> run.removeOutputOrNone(random);
      case 3 -> run.removeShuffle(key.application(), key.shuffle());
      case 4 -> {
        if (random.nextInt(3) == 0) {
          run.removeApplication(key.application());
        }
      }
      case 5 -> {
        if (random.nextInt(3) == 0) {
          run.close();
          run.open();
        }
      }
      case 6 -> run.log(blocks[0]);
      case 7 -> {
        if (random.nextInt(3) == 0) {
          run.trimLog();
        }
      }
      default -> run.commit(key, blocks, rounds);
    }
  }

  private AssertionError failed(String what, Throwable cause) {
    if (failure == null) {
      failure = new CrashFailure("history of seed " + seed + " in " + setup + ", " + what, cause);
    }
    return failure;
  }

  private final class Crashes implements PersistenceDomain.Boundary {
    private final int generation;
    private final PersistenceDomain domain;
    private final CrashHistory history;
    private boolean succeeded;

    Crashes(int generation, PersistenceDomain domain, CrashHistory history) {
      this.generation = generation;
      this.domain = domain;
      this.history = history;
    }

    @Override
    public void reached(String where) {
      if (failure != null) {
        return;
      }
      steps++;
      if (random.nextInt(CHECK_ONE_IN) == 0) {
        crash(where);
      }
      if (!succeeded && generation < GENERATIONS && random.nextInt(SUCCEED_ONE_IN) == 0) {
        succeeded = true;
        succeed();
      }
    }

    private void crash(String where) {
      places++;
      SplittableRandom seeded = random.split();
      Outcome[] outcomes = Outcome.values();
      Outcome outcome =
          random.nextBoolean() ? Outcome.MIXED : outcomes[random.nextInt(outcomes.length)];
      try {
        CrashImage image = domain.crash(outcome, seeded);
        check.check(image, history, seeded.nextLong(), RECOVERY_CRASHES);
      } catch (RuntimeException | AssertionError e) {
        throw failed(
            "generation " + generation + ", step " + steps + " (" + where + ", " + outcome + ")",
            e);
      }
    }

    private void succeed() {
      SplittableRandom seeded = random.split();
      Outcome outcome = random.nextBoolean() ? Outcome.MIXED : Outcome.PROCESS_ONLY;
      CrashImage image = domain.crash(outcome, seeded);
      Path root = check.fresh();
      image.write(root);
      live(
          generation + 1,
          root,
          new PersistenceDomain(setup.model(), root, seeded, image),
          history.crashed(domain));
    }
  }
}
