// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.html;

import java.util.List;

/** The frame of a plot: an axis above and below, labelled rows between, downwards. */
final class Plot {
  private static final double WIDTH = 900;
  private static final double LEFT = 90;
  private static final double RIGHT = 30;
  private static final double EDGE = 24;
  private static final double BASELINE = 4;
  private static final String GREY = "#bbbbbb";

  private final Axis axis;
  private final String unit;
  private final double height;

  /**
   * A plot.
   *
   * @param rows sum of the heights of its rows
   */
  Plot(Axis axis, String unit, double rows) {
    this.axis = axis;
    this.unit = unit;
    this.height = 2 * EDGE + rows;
  }

  /** Draws the frame, and what is given over it. */
  void draw(Markup page, String title, Markup.Content rows) {
    page.svg(
        WIDTH,
        height,
        title,
        svg -> {
          for (int i = 0; i < axis.ticks().size(); i++) {
            double tick = axis.ticks().get(i);
            boolean last = i == axis.ticks().size() - 1;
            String label = Axis.label(tick) + (last ? " " + unit : "");
            line(svg, x(tick), EDGE, x(tick), height - EDGE, GREY);
            label(svg, label, x(tick), EDGE - 2 * BASELINE, "middle");
            label(svg, label, x(tick), height - 2 * BASELINE, "middle");
          }
          rows.write(svg);
        });
  }

  /** The top of the first row. */
  double top() {
    return EDGE;
  }

  double bottom() {
    return height - EDGE;
  }

  double x(double value) {
    return LEFT + axis.place(value) * (WIDTH - LEFT - RIGHT);
  }

  /** Names a row. */
  void name(Markup svg, String name, double middle) {
    label(svg, name, LEFT - 2 * BASELINE, middle + BASELINE, "end");
  }

  static void line(Markup svg, double x1, double y1, double x2, double y2, String colour) {
    svg.element(
        "line",
        none -> {},
        "x1",
        Markup.number(x1),
        "y1",
        Markup.number(y1),
        "x2",
        Markup.number(x2),
        "y2",
        Markup.number(y2),
        "stroke",
        colour);
  }

  /** The legend, above a plot. */
  static void legend(Markup page, List<Series> series) {
    page.element(
        "p",
        legend ->
            series.forEach(
                one -> {
                  legend.text("span", "\u25a0", "style", "color:" + one.colour());
                  legend.text("span", one.name(), "class", "legend");
                }));
  }

  private static void label(Markup svg, String text, double x, double y, String anchor) {
    svg.text("text", text, "x", Markup.number(x), "y", Markup.number(y), "text-anchor", anchor);
  }
}
