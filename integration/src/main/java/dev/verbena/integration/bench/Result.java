// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/**
 * A subject's figures over all rounds: of single operations where they were taken, else of rounds.
 *
 * @param subject who
 * @param metric case and figure
 * @param unit of the values
 * @param runs rounds
 */
@JsonPropertyOrder({"subject", "metric", "unit", "p50", "p99", "min", "max", "runs"})
public record Result(
    String subject,
    String metric,
    String unit,
    double p50,
    double p99,
    double min,
    double max,
    int runs) {

  static Result of(String subject, Metric metric, List<Sample> samples) {
    if (samples.stream().map(Sample::single).allMatch(Objects::nonNull)) {
      return ofSingles(subject, metric, samples);
    }
    double[] values = samples.stream().mapToDouble(Sample::value).sorted().toArray();
    Percentile percentile = new Percentile();
    percentile.setData(values);
    return new Result(
        subject,
        metric.fullName(),
        metric.unit(),
        rounded(percentile.evaluate(50)),
        rounded(percentile.evaluate(99)),
        rounded(Arrays.stream(values).min().orElseThrow()),
        rounded(Arrays.stream(values).max().orElseThrow()),
        values.length);
  }

  private static Result ofSingles(String subject, Metric metric, List<Sample> samples) {
    Histogram all = new Histogram(3);
    samples.forEach(sample -> all.add(sample.single()));
    return new Result(
        subject,
        metric.fullName(),
        metric.unit(),
        rounded(all.getValueAtPercentile(50) / Sample.SCALE),
        rounded(all.getValueAtPercentile(99) / Sample.SCALE),
        rounded(all.getMinValue() / Sample.SCALE),
        rounded(all.getMaxValue() / Sample.SCALE),
        samples.size());
  }

  /** To the four digits that a reader can use. */
  static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.4g", value));
  }
}
