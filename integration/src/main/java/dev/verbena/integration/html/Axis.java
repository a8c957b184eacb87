// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * From values to places between 0 and 1.
 *
 * @param ticks values that are labelled, ascending; the first and the last are the ends
 * @param logarithmic whether equal ratios are equally far apart
 */
record Axis(List<Double> ticks, boolean logarithmic) {
  private static final int MOST_STEPS = 8;
  private static final double[] ROUND = {1, 2, 5, 10};

  /** From 0 to a round value that is not below the one given. */
  static Axis linear(double greatest) {
    double top = greatest > 0 ? greatest : 1;
    double step = roundUp(top / MOST_STEPS);
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; ticks.isEmpty() || ticks.get(ticks.size() - 1) < top; i++) {
      ticks.add(i * step);
    }
    return new Axis(ticks, false);
  }

  /** Around 1, by powers of two: from one not above the least to one not below the greatest. */
  static Axis ratios(double least, double greatest) {
    int low = Math.min(-1, (int) Math.floor(log2(least)));
    int high = Math.max(1, (int) Math.ceil(log2(greatest)));
    List<Double> ticks = new ArrayList<>();
    for (int power = low; power <= high; power++) {
      ticks.add(Math.pow(2, power));
    }
    return new Axis(ticks, true);
  }

  /** Where a value is; 0 and 1 are the ends of the axis. */
  double place(double value) {
    double low = ticks.get(0);
    double high = ticks.get(ticks.size() - 1);
    if (logarithmic) {
      return log2(value / low) / log2(high / low);
    }
    return (value - low) / (high - low);
  }

  static String label(double tick) {
    return tick == Math.rint(tick)
        ? String.format(Locale.ROOT, "%.0f", tick)
        : String.format(Locale.ROOT, "%.4g", tick).replaceAll("0+$", "");
  }

  private static double roundUp(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    for (double digit : ROUND) {
      if (digit * power >= value) {
        return digit * power;
      }
    }
    return ROUND[ROUND.length - 1] * power;
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }
}
