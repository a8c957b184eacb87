// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * How many times better one subject is than another; above 1, the first one is.
 *
 * @param value the geometric mean over the pairs of rounds
 * @param low lower end of the 95 % interval
 * @param high upper end
 */
public record Ratio(double value, double low, double high) {
  private static final double CONFIDENCE = 0.95;

  /**
   * Of rounds that ran in pairs: Student's interval of the logarithms, since a ratio and its
   * inverse must have the same one.
   */
  public static Ratio ofPairs(double[] first, double[] second, Metric.Better better) {
    if (first.length != second.length || first.length < 2) {
      throw new IllegalArgumentException(
          "an interval needs two pairs, got " + first.length + " and " + second.length);
    }
    SummaryStatistics logs = new SummaryStatistics();
    for (int i = 0; i < first.length; i++) {
      double quotient =
          better == Metric.Better.HIGHER ? first[i] / second[i] : second[i] / first[i];
      logs.addValue(Math.log(quotient));
    }
    double t =
        new TDistribution(first.length - 1).inverseCumulativeProbability((1 + CONFIDENCE) / 2);
    double half = t * logs.getStandardDeviation() / Math.sqrt(first.length);
    return new Ratio(
        Result.rounded(Math.exp(logs.getMean())),
        Result.rounded(Math.exp(logs.getMean() - half)),
        Result.rounded(Math.exp(logs.getMean() + half)));
  }

  /** Whether a target is met or missed by the whole interval, or can't be told from this run. */
  String verdict(double target) {
    if (low >= target) {
      return "met";
    }
    return high < target ? "missed" : "undecided";
  }
}
