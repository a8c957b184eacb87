// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.html;

import java.util.List;
import java.util.Locale;

/**
 * Horizontal bars in rows: several bars a row stand below each other, the parts of a bar behind
 * each other.
 *
 * @param title for those who can't see it
 * @param unit of all values
 * @param series in the order of the legend
 */
public record BarChart(String title, String unit, List<Series> series, List<Row> rows) {
  private static final double BAR = 10;
  private static final double GAP = 8;

  /** A row. */
  public record Row(String name, List<Bar> bars) {}

  /** A bar. */
  public record Bar(List<Part> parts) {
    /** Of one part. */
    public static Bar of(Series series, double value) {
      return new Bar(List.of(new Part(series, value)));
    }

    double length() {
      return parts.stream().mapToDouble(Part::value).sum();
    }
  }

  /** A part of a bar; its value is not negative. */
  public record Part(Series series, double value) {}

  /** Draws legend and bars. */
  public void draw(Markup page) {
    double longest =
        rows.stream().flatMap(row -> row.bars().stream()).mapToDouble(Bar::length).max().orElse(0);
    double heights = rows.stream().mapToDouble(BarChart::height).sum();
    Plot plot = new Plot(Axis.linear(longest), unit, heights);
    Plot.legend(page, series);
    plot.draw(
        page,
        title,
        svg -> {
          double top = plot.top();
          for (Row row : rows) {
            plot.name(svg, row.name(), top + height(row) / 2);
            double y = top + GAP / 2;
            for (Bar bar : row.bars()) {
              draw(svg, plot, row.name(), bar, y);
              y += BAR;
            }
            top += height(row);
          }
        });
  }

  private void draw(Markup svg, Plot plot, String row, Bar bar, double y) {
    double from = 0;
    for (Part part : bar.parts()) {
      double left = plot.x(from);
      from += part.value();
      String hint =
          String.format(
              Locale.ROOT, "%s, %s: %.3f %s", row, part.series().name(), part.value(), unit);
      svg.element(
          "rect",
          rect -> rect.text("title", hint),
          "x",
          Markup.number(left),
          "y",
          Markup.number(y),
          "width",
          Markup.number(plot.x(from) - left),
          "height",
          Markup.number(BAR - 1),
          "fill",
          part.series().colour());
    }
  }

  private static double height(Row row) {
    return row.bars().size() * BAR + GAP;
  }
}
