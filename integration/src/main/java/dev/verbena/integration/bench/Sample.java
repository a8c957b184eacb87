// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import org.HdrHistogram.Histogram;

/**
 * What one round of a subject yields.
 *
 * @param value the round's figure in the metric's unit; ratios are made of these
 * @param single the figures of single operations, times {@link #SCALE}, null if not taken
 */
public record Sample(double value, Histogram single) {
  /** Histograms hold whole numbers: thousandths of the unit. */
  public static final double SCALE = 1000;

  /** A round that is told by its one figure. */
  public static Sample of(double value) {
    return new Sample(value, null);
  }
}
