// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

import dev.verbena.testing.Await;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the code of a copy tells, and what a suite may ask, while one mutant is tried. */
public final class Watch {
  /** What is tried. */
  enum Subject {
    THE_CODE_AS_IT_IS,
    A_MUTANT,
    /** One that is listed as making no difference. */
    A_LISTED_MUTANT
  }

  private static final Duration MUTANTS_PATIENCE = Duration.ofMillis(500);

  /** More than any case has loops going round: a count, since time depends on the machine. */
  private static final int MAX_TICKS = 5_000_000;

  /** A mutant that let a claim or a thread go holds others up for good. */
  private static final Duration LONGEST_SPIN = Duration.ofSeconds(10);

  private static final Set<String> ENTERED = ConcurrentHashMap.newKeySet();

  private static volatile Subject subject = Subject.THE_CODE_AS_IT_IS;
  private static volatile boolean reached;
  private static volatile long began;
  private static int ticks;

  private Watch() {}

  /** A case begins. */
  static void begin(Subject now) {
    subject = now;
    reached = now == Subject.THE_CODE_AS_IT_IS;
    ticks = 0;
    began = System.nanoTime();
    ENTERED.clear();
  }

  /** The methods that were entered since the case began. */
  static Set<String> entered() {
    return Set.copyOf(ENTERED);
  }

  /** Called by each method of the code as it is. */
  public static void enter(String method) {
    ENTERED.add(method);
  }

  /** Called where a mutant is, each time it is come to. */
  public static void reach() {
    reached = true;
  }

  /** Whether the mutant was come to since the case began; true if there is none. */
  public static boolean isReached() {
    return reached;
  }

  /** Called each time a loop of a copy goes round; that counts are lost does no harm. */
  public static void tick() {
    if (++ticks > MAX_TICKS) {
      throw new AssertionError("a loop does not end");
    }
  }

  /** Called where a copy spins. */
  public static void spin() {
    if (subject == Subject.A_MUTANT && System.nanoTime() - began > LONGEST_SPIN.toNanos()) {
      throw new AssertionError("a wait does not end");
    }
  }

  /** How long to wait for what comes at once: a mutant that should fail is not given much. */
  public static Duration patience() {
    return subject == Subject.A_MUTANT ? MUTANTS_PATIENCE : Await.PATIENCE;
  }

  /** Whether a part of the runs will do. */
  public static boolean isListed() {
    return subject == Subject.A_LISTED_MUTANT;
  }
}
