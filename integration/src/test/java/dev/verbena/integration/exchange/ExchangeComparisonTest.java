// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExchangeComparisonTest {
  private static final MapOutput A = new MapOutput(3, 0xabc);
  private static final MapOutput B = new MapOutput(4, 0xdef);

  @Test
  void equalOutputsAreCounted() {
    ExchangeComparison comparison =
        ExchangeComparison.of(
            List.of(shuffle(0, "p", "", A, B), shuffle(1, "q", "", A)),
            List.of(shuffle(7, "p", "", A, B), shuffle(9, "q", "", A)));
    assertThat(comparison).isEqualTo(new ExchangeComparison(2, 3, List.of(), List.of()));
  }

  @Test
  void aDifferenceIsToldWithShuffleMapIndexAndBothValues() {
    MapOutput other = new MapOutput(4, 0xd0f);
    ExchangeComparison comparison =
        ExchangeComparison.of(
            List.of(shuffle(0, "p", "", A, B)), List.of(shuffle(7, "p", "", A, other)));
    assertThat(comparison.differences())
        .containsExactly(
            "shuffle 0 (Exchange p; 0 and 7), map 1: 4 records, checksum 0000000000000def against"
                + " 4 records, checksum 0000000000000d0f");
  }

  @Test
  void aRecordMoreIsADifferenceWhateverTheChecksum() {
    ExchangeComparison comparison =
        ExchangeComparison.of(
            List.of(shuffle(0, "p", "", A)),
            List.of(shuffle(0, "p", "", new MapOutput(4, A.checksum()))));
    assertThat(comparison.differences()).singleElement().asString().contains("3 records", "4 rec");
  }

  @Test
  void anotherNumberOfMapTasksIsADifference() {
    ExchangeComparison comparison =
        ExchangeComparison.of(List.of(shuffle(0, "p", "", A, B)), List.of(shuffle(0, "p", "", A)));
    assertThat(comparison.differences())
        .singleElement()
        .asString()
        .endsWith("2 map outputs against 1");
  }

  @Test
  void aChecksumThatWasNotComputedIsNoEquality() {
    MapOutput none = new MapOutput(3, 0);
    ExchangeComparison comparison =
        ExchangeComparison.of(
            List.of(shuffle(0, "p", "", none)), List.of(shuffle(0, "p", "", none)));
    assertThat(comparison.differences()).singleElement().asString().contains("no checksum");
    MapOutput empty = new MapOutput(0, 0);
    assertThat(
            ExchangeComparison.of(
                    List.of(shuffle(0, "p", "", empty)), List.of(shuffle(0, "p", "", empty)))
                .differences())
        .isEmpty();
  }

  @Test
  void whatMayDifferIsListedAndNotCompared() {
    ExchangeComparison comparison =
        ExchangeComparison.of(
            List.of(shuffle(0, "p", "above a LIMIT", A)),
            List.of(shuffle(0, "p", "above a LIMIT", B)));
    assertThat(comparison)
        .isEqualTo(
            new ExchangeComparison(
                0, 0, List.of("shuffle 0 (Exchange p; 0 and 0): above a LIMIT"), List.of()));
  }

  @Test
  void shufflesOfOtherPlansAreNotPaired() {
    ExchangeComparison comparison =
        ExchangeComparison.of(
            List.of(shuffle(0, "p", "", A)), List.of(shuffle(0, "q", "above a LIMIT", A)));
    assertThat(comparison.mapOutputs()).isZero();
    assertThat(comparison.differences()).singleElement().asString().contains("plans differ");
    assertThat(ExchangeComparison.of(List.of(shuffle(0, "p", "", A)), List.of()).differences())
        .containsExactly("the plans differ: 1 shuffles against 0");
  }

  @Test
  void textOfPlansIsFreeOfNumbersThatAnApplicationGives() {
    assertThat(
            PlanText.normalized(
                "Exchange hashpartitioning(a#12, b#345L, 8), ENSURE_REQUIREMENTS, [plan_id=77]"))
        .isEqualTo("Exchange hashpartitioning(a, b, 8), ENSURE_REQUIREMENTS");
    assertThat(PlanText.normalized("Subquery subquery#8, [id=#9]"))
        .isEqualTo(PlanText.normalized("Subquery subquery#10, [id=#11]"));
  }

  private static Shuffle shuffle(int id, String plan, String exempt, MapOutput... outputs) {
    return new Shuffle(id, "Exchange " + plan, plan, exempt, List.of(outputs));
  }
}
