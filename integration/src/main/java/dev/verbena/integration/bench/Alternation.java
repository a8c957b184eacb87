// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Rounds that two sides took in turns, the order swapped from round to round, so that what drifts
 * meets both.
 *
 * @param ours by round
 * @param rival by round
 */
record Alternation<T>(List<T> ours, List<T> rival) {
  /**
   * Runs both.
   *
   * @param warmUps rounds that are not counted
   * @param rounds rounds that are, at least 2
   */
  static <T> Alternation<T> run(Supplier<T> ours, Supplier<T> rival, int warmUps, int rounds) {
    List<T> first = new ArrayList<>();
    List<T> second = new ArrayList<>();
    for (int i = -warmUps; i < rounds; i++) {
      boolean oursFirst = i % 2 == 0;
      T early = (oursFirst ? ours : rival).get();
      T late = (oursFirst ? rival : ours).get();
      if (i >= 0) {
        first.add(oursFirst ? early : late);
        second.add(oursFirst ? late : early);
      }
    }
    return new Alternation<>(first, second);
  }

  /** The same rounds, each told by something of it. */
  <R> Alternation<R> map(Function<T, R> of) {
    return new Alternation<>(ours.stream().map(of).toList(), rival.stream().map(of).toList());
  }
}
