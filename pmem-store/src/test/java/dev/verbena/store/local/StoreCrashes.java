// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.crash.CrashSuite;
import dev.verbena.store.crash.Outcome;
import dev.verbena.store.crash.PersistenceDomain;
import dev.verbena.store.crash.PersistenceDomain.Model;
import dev.verbena.store.crash.SimulatedMemory;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Plays every history in every model, and crashes it. */
public final class StoreCrashes implements CrashSuite {
  private long places;
  private long cases;

  /** For {@link CrashSuite}'s loader. */
  public StoreCrashes() {}

  @Override
  public Tally run(Plan plan) {
    Map<Model, CrashCheck> kept = checks(true, plan);
    for (CrashScript script : CrashScript.values()) {
      kept.forEach((model, check) -> play(script, check, new CrashSetup(model, true), plan));
    }
    Map<Model, CrashCheck> ephemeral = checks(false, plan);
    for (CrashScript script : List.of(CrashScript.COMMITS, CrashScript.OVERFLOW)) {
      ephemeral.forEach((model, check) -> play(script, check, new CrashSetup(model, false), plan));
    }
    for (int i = 0; i < plan.histories(); i++) {
      long seed = plan.seed() + i;
      kept.forEach(
          (model, check) ->
              places += new CrashGenerations(new CrashSetup(model, true), check, seed).run());
    }
    kept.values().forEach(check -> cases += check.cases());
    ephemeral.values().forEach(check -> cases += check.cases());
    return new Tally(places, cases);
  }

  @Override
  public void meet(Path directory) {
    CrashSetup setup = new CrashSetup(Model.POWER, true);
    new CrashMeeting(setup, new CrashCheck(setup, directory)).run();
  }

  private static Map<Model, CrashCheck> checks(boolean kept, Plan plan) {
    Map<Model, CrashCheck> checks = new EnumMap<>(Model.class);
    for (Model model : Model.values()) {
      Path directory = plan.directory().resolve(model + (kept ? "-kept" : "-ephemeral"));
      checks.put(model, new CrashCheck(new CrashSetup(model, kept), directory));
    }
    return checks;
  }

  private void play(CrashScript script, CrashCheck check, CrashSetup setup, Plan plan) {
    Path root = check.fresh();
    SplittableRandom random = new SplittableRandom(plan.seed());
    PersistenceDomain domain = new PersistenceDomain(setup.model(), root, random);
    CrashHistory history = new CrashHistory();
    ScriptCrashes crashes =
        new ScriptCrashes(script, setup, domain, history, check, plan, random.split());
    PersistenceDomain outside = SimulatedMemory.enter(domain);
    try (CrashRun run = new CrashRun(setup, root, domain, history, crashes)) {
      script.play(run);
      run.watch(false);
    } finally {
      SimulatedMemory.enter(outside);
      places += crashes.places;
      CrashCheck.delete(root);
    }
    crashes.rethrow();
  }

  /** At each place of a script: all lost, all kept, some lost by seed, the process alone. */
  private static final class ScriptCrashes implements PersistenceDomain.Boundary {
    private final CrashScript script;
    private final String name;
    private final Model model;
    private final PersistenceDomain domain;
    private final CrashHistory history;
    private final CrashCheck check;
    private final Plan plan;
    private final SplittableRandom random;
    private AssertionError failure;
    private long places;

    ScriptCrashes(
        CrashScript script,
        CrashSetup setup,
        PersistenceDomain domain,
        CrashHistory history,
        CrashCheck check,
        Plan plan,
        SplittableRandom random) {
      this.script = script;
      this.name = script + " in " + setup;
      this.model = setup.model();
      this.domain = domain;
      this.history = history;
      this.check = check;
      this.plan = plan;
      this.random = random;
    }

    @Override
    public void reached(String where) {
      if (failure != null) {
        return; // What is closed on the way out is not crashed again.
      }
      if (script.isLong() && random.nextInt(plan.longPlaces()) > 0) {
        return;
      }
      places++;
      crash(Outcome.LOST, where, 0);
      crash(Outcome.KEPT, where, 0);
      if (model == Model.POWER) {
        crash(Outcome.PROCESS_ONLY, where, plan.recoveryCrashes());
      }
      for (int i = 0; i < plan.images(); i++) {
        crash(Outcome.MIXED, where, i == 0 ? plan.recoveryCrashes() : 0);
      }
    }

    private void crash(Outcome outcome, String where, int recoveryCrashes) {
      SplittableRandom seeded = random.split();
      try {
        check.check(domain.crash(outcome, seeded), history, seeded.nextLong(), recoveryCrashes);
      } catch (RuntimeException | AssertionError e) {
        failure =
            new CrashFailure(
                name
                    + ", seed "
                    + plan.seed()
                    + ", place "
                    + places
                    + " ("
                    + where
                    + ", "
                    + outcome
                    + ")",
                e);
        throw failure;
      }
    }

    /** The store may have caught what was thrown at it. */
    void rethrow() {
      if (failure != null) {
        throw failure;
      }
    }
  }
}
