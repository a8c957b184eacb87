// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.html;

import java.util.List;

/**
 * What bars of one colour stand for.
 *
 * @param name in the legend
 * @param colour as in CSS
 */
public record Series(String name, String colour) {
  /** Told apart by colour-blind readers too (Okabe and Ito 2008). */
  private static final List<String> COLOURS =
      List.of("#999999", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9");

  /** Colours are dealt out by number; there are seven, and then the first again. */
  public static Series of(String name, int number) {
    return new Series(name, COLOURS.get(number % COLOURS.size()));
  }
}
