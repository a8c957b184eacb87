// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.html;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * Ratios as points on a logarithmic axis, with a bar over their intervals; 1 is marked.
 *
 * @param title for those who can't see it
 */
public record RatioChart(String title, Series series, List<Row> rows) {
  private static final double ROW = 16;
  private static final double RADIUS = 3.5;
  private static final String BLACK = "#000000";

  /**
   * A ratio.
   *
   * @param low the lower end of its interval; the value itself if there is none
   * @param high the upper end
   */
  public record Row(String name, double value, double low, double high) {
    /** Whether there is more than a point. */
    public boolean hasInterval() {
      return low < high;
    }
  }

  /** Draws the points. */
  public void draw(Markup page) {
    double least = ends().min().orElse(1);
    double greatest = ends().max().orElse(1);
    Plot plot = new Plot(Axis.ratios(least, greatest), "times", rows.size() * ROW);
    plot.draw(
        page,
        title,
        svg -> {
          Plot.line(svg, plot.x(1), plot.top(), plot.x(1), plot.bottom(), BLACK);
          double middle = plot.top() + ROW / 2;
          for (Row row : rows) {
            plot.name(svg, row.name(), middle);
            draw(svg, plot, row, middle);
            middle += ROW;
          }
        });
  }

  private void draw(Markup svg, Plot plot, Row row, double y) {
    String hint = String.format(Locale.ROOT, "%s: %.3f", row.name(), row.value());
    if (row.hasInterval()) {
      hint += String.format(Locale.ROOT, " (%.3f to %.3f)", row.low(), row.high());
      Plot.line(svg, plot.x(row.low()), y, plot.x(row.high()), y, series.colour());
    }
    String shown = hint;
    svg.element(
        "circle",
        circle -> circle.text("title", shown),
        "cx",
        Markup.number(plot.x(row.value())),
        "cy",
        Markup.number(y),
        "r",
        Markup.number(RADIUS),
        "fill",
        series.colour());
  }

  private DoubleStream ends() {
    return rows.stream().flatMapToDouble(row -> DoubleStream.of(row.low(), row.high()));
  }
}
