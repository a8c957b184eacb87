// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.kill.KillPoint;
import dev.verbena.integration.kill.KillReport;
import dev.verbena.integration.kill.LossCounts;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.JobMetrics.CarrierTotals;
import dev.verbena.integration.sidebyside.JobMetrics.ShuffleTotals;
import dev.verbena.integration.sidebyside.JobMetrics.TaskTotals;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.sidebyside.SparkSubject.Carrier;
import dev.verbena.integration.sidebyside.SparkSubject.ReadPath;
import dev.verbena.integration.tpcds.QueryOutcome.Checks;
import dev.verbena.integration.tpcds.QueryOutcome.Run;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class QueryOutcomeTest {
  private static final Path JAR = Path.of("verbena.jar");
  private static final Verdict EQUAL = Verdict.of(Verdict.Kind.EQUAL);

  @Test
  void allOnTheCarrierAskedForIsWithoutFault() {
    Run run = run(EQUAL, Map.of("own", 900L, "mapped", 100L), Map.of(), 1000);
    assertThat(run.faults()).isEmpty();
  }

  @Test
  void moreThanOnePercentOnAnotherCarrierIsAFault() {
    assertThat(run(EQUAL, Map.of("mapped", 990L, "netty", 10L), Map.of(), 1000).faults()).isEmpty();
    assertThat(run(EQUAL, Map.of("mapped", 989L, "netty", 11L), Map.of(), 1000).faults())
        .singleElement()
        .asString()
        .contains("98.90 %", "mapped");
  }

  @Test
  void whatAReaderTakesFromItsOwnStoreDoesNotHideAnotherCarrier() {
    Run run = run(EQUAL, Map.of("own", 1_000_000L, "netty", 10L), Map.of(), 1_000_010);
    assertThat(run.faults()).hasSize(1);
  }

  @Test
  void bytesThatSparkReadAndNobodyCountedAreAFault() {
    assertThat(run(EQUAL, Map.of(), Map.of(), 1000).faults()).hasSize(1);
  }

  @Test
  void aFallbackIsAFaultWhateverTheBytes() {
    Run run = run(EQUAL, Map.of("mapped", 1000L), Map.of("connect refused", 1L), 1000);
    assertThat(run.faults()).singleElement().asString().contains("connect refused");
  }

  @Test
  void aDifferenceIsAFaultAndEmptinessIsNot() {
    Verdict different = new Verdict(Verdict.Kind.DIFFERENT, "3 rows against 4");
    assertThat(run(different, Map.of(), Map.of(), 0).faults())
        .singleElement()
        .asString()
        .contains("3 rows against 4");
    assertThat(run(Verdict.of(Verdict.Kind.EMPTY), Map.of(), Map.of(), 0).faults()).isEmpty();
  }

  @Test
  void aQueryThatLostAnExecutorMayNotFallBackEither() {
    LossCounts seen = new LossCounts(1, 2, 0, 1, 2, 1);
    assertThat(killed(seen, null, Map.of()).faults()).isEmpty();
    assertThat(killed(seen, null, Map.of("timedOut", 1L)).faults())
        .singleElement()
        .asString()
        .contains("timedOut");
  }

  @Test
  void killsAreSummedAndMissesToldApart() {
    Run first = killed(new LossCounts(1, 2, 0, 1, 2, 1), null, Map.of());
    Run second = killed(new LossCounts(1, 0, 0, 1, 0, 0), "too late", Map.of());
    RunSummary summary =
        RunSummary.of(
            List.of(
                new QueryOutcome("q1", List.of(first)), new QueryOutcome("q1", List.of(second))));
    assertThat(summary.ok()).isTrue();
    assertThat(summary.kills()).isEqualTo(new KillTotals(1, 1, new LossCounts(2, 2, 0, 2, 2, 1)));
  }

  @Test
  void stockSparkOwesNoCarrier() {
    JobMetrics metrics = metrics(Map.of(), Map.of(), 1000);
    Verdict reference = Verdict.of(Verdict.Kind.NOT_COMPARED);
    assertThat(
            new Run(SparkSubject.vanilla("vanilla"), reference, 1, 1, metrics, Checks.NONE)
                .faults())
        .isEmpty();
  }

  @Test
  void theCarrierExpectedFollowsFromPathAndCarrier() {
    assertThat(expected(null, null)).isEqualTo("mapped");
    assertThat(expected(ReadPath.mapped, Carrier.shm)).isEqualTo("mapped");
    assertThat(expected(ReadPath.read, null)).isEqualTo("shm");
    assertThat(expected(ReadPath.read, Carrier.tcp)).isEqualTo("tcp");
    assertThat(expected(null, Carrier.tcp)).isEqualTo("tcp");
  }

  @Test
  void aRunInWhichNothingWasCarriedShowsNothing() {
    Run idle = run(EQUAL, Map.of("own", 10L), Map.of(), 10);
    RunSummary summary = RunSummary.of(List.of(new QueryOutcome("q1", List.of(idle))));
    assertThat(summary.ok()).isFalse();
    assertThat(summary.faults()).singleElement().asString().contains("mapped");
  }

  @Test
  void aSummaryAddsUpAllQueries() {
    Run first = run(EQUAL, Map.of("mapped", 600L), Map.of(), 600);
    Run second = run(Verdict.of(Verdict.Kind.EMPTY), Map.of("mapped", 400L), Map.of(), 400);
    RunSummary summary =
        RunSummary.of(
            List.of(
                new QueryOutcome("q1", List.of(first)), new QueryOutcome("q2", List.of(second))));
    assertThat(summary.ok()).isTrue();
    RunSummary.SubjectTotals totals = summary.subjects().get("verbena");
    assertThat(totals.verdicts())
        .containsEntry(Verdict.Kind.EQUAL, 1)
        .containsEntry(Verdict.Kind.EMPTY, 1);
    assertThat(totals.metrics().carriers().bytes()).containsEntry("mapped", 1000L);
    assertThat(totals.shareOnCarrier()).isEqualTo(1.0);
  }

  private static String expected(ReadPath path, Carrier carrier) {
    return SparkSubject.verbena("verbena", JAR, path, carrier).carrier();
  }

  private static Run killed(LossCounts seen, String miss, Map<String, Long> fallbacks) {
    KillPoint point = new KillPoint(KillPoint.Event.READER_STARTED, 1);
    return new Run(
        SparkSubject.verbena("verbena", JAR, null, null),
        EQUAL,
        1,
        1,
        metrics(Map.of("mapped", 1000L), fallbacks, 1000),
        new Checks(null, point, new KillReport("1", 7, seen, miss, Set.of())));
  }

  private static Run run(
      Verdict verdict, Map<String, Long> bytes, Map<String, Long> fallbacks, long sparkRead) {
    SparkSubject subject = SparkSubject.verbena("verbena", JAR, null, null);
    return new Run(subject, verdict, 1, 1, metrics(bytes, fallbacks, sparkRead), Checks.NONE);
  }

  private static JobMetrics metrics(
      Map<String, Long> bytes, Map<String, Long> fallbacks, long sparkRead) {
    return new JobMetrics(
        new TaskTotals(0, 0, 0, 0, 0, 0, 0),
        new ShuffleTotals(0, 0, 0, 0, 0, sparkRead, 0, 0, 0),
        new CarrierTotals(new TreeMap<>(bytes), new TreeMap<>(), new TreeMap<>(fallbacks)));
  }
}
