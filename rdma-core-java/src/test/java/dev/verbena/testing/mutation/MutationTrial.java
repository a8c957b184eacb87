// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Runs suites on the code as it is and on each of its mutants. */
public final class MutationTrial {
  private final String name;
  private final Copy.Plan plan;
  private final List<String> suites;

  /** What is printed begins with {@code name}; suites are {@link Attacks} by their class names. */
  public MutationTrial(String name, Copy.Plan plan, List<String> suites) {
    this.name = name;
    this.plan = plan;
    this.suites = suites;
  }

  /**
   * Every mutant is caught but those that make no difference.
   *
   * @param same those, by {@link Mutant#name}, with the reason; one that is caught or does not
   *     exist is a failure
   */
  public void mutate(Map<String, String> same) {
    Map<String, Set<String>> methods = withstand();
    List<Mutant> mutants = plan.mutants();
    Set<String> survivors = new TreeSet<>();
    Map<String, List<String>> caught = new LinkedHashMap<>();
    String latest = null;
    for (Mutant mutant : mutants) {
      Set<String> order = new LinkedHashSet<>();
      order.add(latest);
      order.addAll(methods.keySet());
      String method = mutant.site().className() + mutant.site().method();
      order.removeIf(attack -> attack == null || !methods.get(attack).contains(method));
      boolean listed = same.containsKey(mutant.name());
      String harm = firstHarm(mutant, order, listed);
      if (harm == null) {
        survivors.add(mutant.name());
        print("%s: %s %s", name, listed ? "not observable:" : "NOT CAUGHT:", mutant);
      } else {
        latest = methods.containsKey(harm) ? harm : null;
        caught.computeIfAbsent(harm, key -> new ArrayList<>()).add(mutant.name());
      }
    }
    caught.forEach((attack, some) -> print("%s: %s catches %s", name, attack, some));
    print(
        "%s: %d cases, %d of %d mutants caught, %d not observable",
        name, methods.size(), mutants.size() - survivors.size(), mutants.size(), same.size());
    assertThat(mutants).isNotEmpty();
    assertThat(survivors)
        .as("mutants that nothing catches: needless, or the suite too kind")
        .containsExactlyInAnyOrderElementsOf(same.keySet());
  }

  /**
   * Every attack is withstood by the code as it is: else it would seem to catch any mutant.
   *
   * @return the methods that each comes to
   */
  private Map<String, Set<String>> withstand() {
    Map<String, Set<String>> methods = new LinkedHashMap<>();
    attacks(new Copy(plan, null))
        .forEach(
            (attack, action) -> {
              Watch.begin(Watch.Subject.THE_CODE_AS_IT_IS);
              try {
                action.run();
              } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(attack + ": " + e, e);
              }
              methods.put(attack, Watch.entered());
            });
    assertThat(methods).isNotEmpty();
    return methods;
  }

  /** The name of the first of these cases that goes red, or null. */
  private String firstHarm(Mutant mutant, Set<String> order, boolean listed) {
    if (order.isEmpty()) {
      return null;
    }
    try {
      Map<String, Runnable> attacks = attacks(new Copy(plan, mutant));
      for (String attack : order) {
        Watch.begin(listed ? Watch.Subject.A_LISTED_MUTANT : Watch.Subject.A_MUTANT);
        if (isHarmed(attacks.get(attack))) {
          return attack;
        }
      }
      return null;
    } catch (IllegalStateException e) {
      return "making a suite";
    } catch (LinkageError e) {
      throw new AssertionError("a mutant that can't be loaded: " + mutant, e);
    } finally {
      Watch.begin(Watch.Subject.THE_CODE_AS_IT_IS);
    }
  }

  private static boolean isHarmed(Runnable attack) {
    try {
      attack.run();
      return false;
    } catch (RuntimeException | AssertionError | InternalError e) {
      return true;
    }
  }

  private Map<String, Runnable> attacks(Copy copy) {
    Map<String, Runnable> all = new LinkedHashMap<>();
    for (String suite : suites) {
      String prefix = suite.substring(suite.lastIndexOf('.') + 1) + ".";
      copy.create(Attacks.class, suite)
          .all()
          .forEach((attack, action) -> all.put(prefix + attack, action));
    }
    return all;
  }

  private static void print(String format, Object... arguments) {
    System.out.printf(format + "%n", arguments);
  }
}
