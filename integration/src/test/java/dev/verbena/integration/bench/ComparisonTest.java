// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Metric TIME = new Metric("case", "time", "us", Metric.Better.LOWER);

  private final List<String> order = new ArrayList<>();

  @Test
  void subjectsTakeTurnsAndSwapTheirOrder() {
    Comparison.run(TIME, subject("a", Sample.of(1)), subject("b", Sample.of(2)), 1, 3);
    assertThat(order).containsExactly("b", "a", "a", "b", "b", "a", "a", "b");
  }

  @Test
  void figuresOfSingleOperationsMakeThePercentiles() {
    Histogram single = new Histogram(3);
    for (int i = 1; i <= 100; i++) {
      single.recordValue(i * 1000L);
    }
    Sample sample = new Sample(7, single);
    Comparison comparison = Comparison.run(TIME, subject("a", sample), subject("b", sample), 0, 2);
    assertThat(comparison.ours().p50()).isBetween(49.9, 50.1);
    assertThat(comparison.ours().p99()).isBetween(98.9, 99.1);
    assertThat(comparison.ours().min()).isBetween(0.99, 1.01);
    assertThat(comparison.ours().max()).isBetween(99.9, 100.1);
    assertThat(comparison.ours().runs()).isEqualTo(2);
    assertThat(comparison.ratio()).isEqualTo(new Ratio(1, 1, 1));
    assertThat(comparison.ratioName()).isEqualTo("case.time.vs_b");
  }

  private Subject subject(String name, Sample sample) {
    return new Subject() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Sample round() {
        order.add(name);
        return sample;
      }
    };
  }
}
