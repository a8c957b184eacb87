// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.tpcds.QueryResult.Column;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultComparisonTest {
  private static final Column KEY = new Column("k", "string");
  private static final Column VALUE = new Column("v", "double");
  private static final Column OTHER = new Column("w", "double");

  @Test
  void theSameRowsInAnotherOrderAreEqual() {
    assertThat(
            compare(
                keyed(row("a", "1.0"), row("b", "2.0")), keyed(row("b", "2.0"), row("a", "1.0"))))
        .isEqualTo(Verdict.Kind.EQUAL);
  }

  @Test
  void noRowsOnBothSidesAreEmptyAndNotEqual() {
    assertThat(compare(keyed(), keyed())).isEqualTo(Verdict.Kind.EMPTY);
  }

  @Test
  void noRowsOnOneSideDiffer() {
    assertThat(compare(keyed(row("a", "1.0")), keyed())).isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(keyed(), keyed(row("a", "1.0")))).isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void noRowsOfAnotherSchemaDiffer() {
    QueryResult other = new QueryResult(List.of(KEY), List.of());
    assertThat(compare(keyed(), other)).isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void aDoubleWithinTheRelativeErrorIsEqual() {
    assertThat(compare(keyed(row("a", "1000000.0")), keyed(row("a", "1000000.0009"))))
        .isEqualTo(Verdict.Kind.EQUAL);
  }

  @Test
  void aDoubleBeyondTheRelativeErrorDiffers() {
    assertThat(compare(keyed(row("a", "1000000.0")), keyed(row("a", "1000000.002"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(keyed(row("a", "1.0E-12")), keyed(row("a", "2.0E-12"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void zeroEqualsNothingButZero() {
    assertThat(compare(keyed(row("a", "0.0")), keyed(row("a", "-0.0"))))
        .isEqualTo(Verdict.Kind.EQUAL);
    assertThat(compare(keyed(row("a", "0.0")), keyed(row("a", "1.0E-300"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void notANumberEqualsItselfOnly() {
    assertThat(compare(keyed(row("a", "NaN")), keyed(row("a", "NaN"))))
        .isEqualTo(Verdict.Kind.EQUAL);
    assertThat(compare(keyed(row("a", "NaN")), keyed(row("a", "1.0"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(keyed(row("a", "1.0")), keyed(row("a", "NaN"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void infinityEqualsItselfOnly() {
    assertThat(compare(keyed(row("a", "Infinity")), keyed(row("a", "Infinity"))))
        .isEqualTo(Verdict.Kind.EQUAL);
    assertThat(compare(keyed(row("a", "Infinity")), keyed(row("a", "1.0"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(keyed(row("a", "Infinity")), keyed(row("a", "-Infinity"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void nullIsNeitherEmptyTextNorZeroNorTheWordNull() {
    assertThat(compare(keyed(row(null, "1.0")), keyed(row("", "1.0"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(keyed(row(null, "1.0")), keyed(row("null", "1.0"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(keyed(row("a", null)), keyed(row("a", "0.0"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(keyed(row(null, null)), keyed(row(null, null))))
        .isEqualTo(Verdict.Kind.EQUAL);
  }

  @Test
  void aRowMoreOftenOnOneSideDiffersEvenIfAnotherIsLessOften() {
    QueryResult twoA = keyed(row("a", "1.0"), row("a", "1.0"), row("b", "1.0"));
    QueryResult twoB = keyed(row("a", "1.0"), row("b", "1.0"), row("b", "1.0"));
    assertThat(compare(twoA, twoB)).isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void doublesThatSwapTheirKeysDiffer() {
    assertThat(
            compare(
                keyed(row("a", "1.0"), row("b", "2.0")), keyed(row("a", "2.0"), row("b", "1.0"))))
        .isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void aDecimalOfAnotherScaleDiffers() {
    assertThat(compare(single("decimal(7,2)", "1.50"), single("decimal(7,1)", "1.5")))
        .isEqualTo(Verdict.Kind.DIFFERENT);
    assertThat(compare(single("decimal(7,2)", "1.50"), single("decimal(7,2)", "1.51")))
        .isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void aDecimalHasNoTolerance() {
    assertThat(
            compare(
                single("decimal(38,2)", "100000000000000.01"),
                single("decimal(38,2)", "100000000000000.02")))
        .isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void aColumnOfAnotherNameDiffers() {
    QueryResult a = new QueryResult(List.of(new Column("a", "int")), lists(row("1")));
    QueryResult b = new QueryResult(List.of(new Column("b", "int")), lists(row("1")));
    assertThat(compare(a, b)).isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void rowsWhoseFirstDoublesAgreeNearlyArePairedByTheirSecond() {
    // Sorted by the first double the pairs would be (1, 5)-(1-e, 7) and (1+e, 7)-(1, 5).
    QueryResult left = doubles(row("1.0", "5.0"), row("1.0000000001", "7.0"));
    QueryResult right = doubles(row("0.9999999999", "7.0"), row("1.0", "5.0"));
    assertThat(compare(left, right)).isEqualTo(Verdict.Kind.EQUAL);
  }

  @Test
  void rowsThatCannotAllBePairedDiffer() {
    QueryResult left = doubles(row("1.0", "5.0"), row("1.0", "5.0"));
    QueryResult right = doubles(row("1.0", "5.0"), row("1.0", "6.0"));
    assertThat(compare(left, right)).isEqualTo(Verdict.Kind.DIFFERENT);
  }

  @Test
  void theDetailNamesTheRow() {
    Verdict verdict =
        ResultComparison.compare(keyed(row("left", "1.0")), keyed(row("right", "1.0")));
    assertThat(verdict.detail()).contains("left");
  }

  private static Verdict.Kind compare(QueryResult expected, QueryResult actual) {
    return ResultComparison.compare(expected, actual).kind();
  }

  private static QueryResult keyed(String[]... rows) {
    return new QueryResult(List.of(KEY, VALUE), lists(rows));
  }

  private static QueryResult doubles(String[]... rows) {
    return new QueryResult(List.of(VALUE, OTHER), lists(rows));
  }

  private static QueryResult single(String type, String cell) {
    return new QueryResult(List.of(new Column("d", type)), lists(row(cell)));
  }

  private static String[] row(String... cells) {
    return cells;
  }

  private static List<List<String>> lists(String[]... rows) {
    return Arrays.stream(rows).map(Arrays::asList).toList();
  }
}
