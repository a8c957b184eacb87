// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

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
    return of(
        metric,
        ours.name(),
        rival.name(),
        Alternation.run(ours::round, rival::round, warmUps, rounds));
  }

  /** Of rounds that both have run. */
  static Comparison of(Metric metric, String ours, String rival, Alternation<Sample> samples) {
    return new Comparison(
        metric,
        Result.of(ours, metric, samples.ours()),
        Result.of(rival, metric, samples.rival()),
        Ratio.ofPairs(values(samples.ours()), values(samples.rival()), metric.better()));
  }

  /** The ratio's name in reports. */
  public String ratioName() {
    return metric.fullName() + ".vs_" + rival.subject();
  }

  private static double[] values(List<Sample> samples) {
    return samples.stream().mapToDouble(Sample::value).toArray();
  }
}
