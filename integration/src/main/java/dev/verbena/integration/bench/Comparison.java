// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * Two subjects measured in turns.
 *
 * @param metric what was measured
 * @param ours our figures
 * @param rival the other's
 * @param ratio how many times better ours is
 */
public record Comparison(Metric metric, Result ours, Result rival, Ratio ratio) {

  /**
   * Runs both in turns, the order swapped from round to round, so that what drifts meets both.
   *
   * @param warmUps rounds that are not counted
   * @param rounds rounds that are, at least 2
   */
  public static Comparison run(
      Metric metric, Subject ours, Subject rival, int warmUps, int rounds) {
    for (int i = 0; i < warmUps; i++) {
      ours.round();
      rival.round();
    }
    List<Sample> first = new ArrayList<>();
    List<Sample> second = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      if (i % 2 == 0) {
        first.add(ours.round());
        second.add(rival.round());
      } else {
        second.add(rival.round());
        first.add(ours.round());
      }
    }
    return new Comparison(
        metric,
        Result.of(ours.name(), metric, first),
        Result.of(rival.name(), metric, second),
        Ratio.ofPairs(values(first), values(second), metric.better()));
  }

  /** The ratio's name in reports. */
  public String ratioName() {
    return metric.fullName() + ".vs_" + rival.subject();
  }

  private static double[] values(List<Sample> samples) {
    return samples.stream().mapToDouble(Sample::value).toArray();
  }
}
