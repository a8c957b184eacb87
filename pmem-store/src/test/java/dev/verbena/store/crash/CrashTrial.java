// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs the crash suite over the store as it is, or over each of its mutants. */
final class CrashTrial {
  private CrashTrial() {}

  static void run(CrashSuite.Plan plan) {
    CrashSuite.Tally tally = new StoreLoader(null).suite().run(plan);
    print(
        "crash: seed %d, %d places, %d cases checked", plan.seed(), tally.places(), tally.cases());
    assertThat(tally.places()).isPositive();
    assertThat(tally.cases()).isGreaterThanOrEqualTo(tally.places());
  }

  static void mutate(CrashSuite.Plan plan) {
    mutate(new StoreClasses().mutants(), plan.seed(), loader -> loader.suite().run(plan));
  }

  /** Runs each mutant, which must not get through. */
  static void mutate(List<Mutant> mutants, long seed, Consumer<StoreLoader> run) {
    List<Mutant> survivors = new ArrayList<>();
    for (Mutant mutant : mutants) {
      StoreLoader loader = new StoreLoader(mutant);
      String caught = harmOf(loader, run);
      assertThat(loader.mutated()).as(mutant + " was loaded").isTrue();
      print("crash: mutant %s: %s", mutant, caught == null ? "NOT CAUGHT" : "caught, " + caught);
      if (caught == null) {
        survivors.add(mutant);
      }
    }
    print(
        "crash: seed %d, %d of %d mutants caught",
        seed, mutants.size() - survivors.size(), mutants.size());
    assertThat(mutants).isNotEmpty();
    assertThat(survivors)
        .as("mutants that no crash shows: needless, or the test too kind")
        .isEmpty();
  }

  /** The first line of what went wrong; null if nothing did. */
  private static String harmOf(StoreLoader loader, Consumer<StoreLoader> run) {
    try {
      run.accept(loader);
      return null;
    } catch (RuntimeException | AssertionError e) {
      return e.toString().lines().findFirst().orElse("").replaceFirst("^[\\w.]+: ", "");
    }
  }

  private static void print(String format, Object... arguments) {
    System.out.printf(format + "%n", arguments);
  }
}
