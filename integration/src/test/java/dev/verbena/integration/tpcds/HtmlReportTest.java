// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.JobMetrics.CarrierTotals;
import dev.verbena.integration.sidebyside.JobMetrics.ShuffleTotals;
import dev.verbena.integration.sidebyside.JobMetrics.TaskTotals;
import dev.verbena.integration.sidebyside.SparkSubject;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class HtmlReportTest {
  private static final SparkSubject VANILLA = SparkSubject.vanilla(SparkSubject.VANILLA);
  private static final SparkSubject OURS =
      SparkSubject.verbena("verbena", Path.of("verbena.jar"), null, null);

  @TempDir private Path folder;

  @Test
  void thePageHoldsThePlotsAndTheirFigures() throws Exception {
    Document page =
        written(
            outcome("q4", 12, 8, Map.of("mapped", 3_000_000L, "own", 1_000_000L), Map.of()),
            outcome("q17", 3, 6, Map.of("mapped", 2_000_000L), Map.of()));
    assertThat(hints(page))
        .contains("q4, vanilla: 12.000 s", "q4, verbena: 8.000 s")
        .contains("q4: 1.500", "q17: 0.500")
        .contains("q4, mapped: 3.000 MB", "q4, own: 1.000 MB", "q17, mapped: 2.000 MB")
        .contains("q4, verbena: 0.250 s");
    assertThat(texts(page, "p")).contains("All is as it should be.");
    assertThat(texts(page, "h2"))
        .contains("Wall time", "Speed-up, verbena against vanilla", "Fetch wait", "Fallbacks");
    assertThat(page.getElementsByTagName("svg").getLength()).isEqualTo(5);
  }

  @Test
  void aBarIsAsLongAsItsValueIsGreat() throws Exception {
    Document page = written(outcome("q4", 12, 8, Map.of("mapped", 1L), Map.of()));
    NodeList bars = page.getElementsByTagName("rect");
    double vanilla = Double.parseDouble(((Element) bars.item(0)).getAttribute("width"));
    double ours = Double.parseDouble(((Element) bars.item(1)).getAttribute("width"));
    assertThat(vanilla / ours).isBetween(1.49, 1.51);
  }

  @Test
  void roundsGiveAQueryAnInterval() throws Exception {
    Document page =
        written(
            outcome("q4", 12, 8, Map.of("mapped", 1L), Map.of()),
            outcome("q4", 12, 6, Map.of("mapped", 1L), Map.of()));
    assertThat(hints(page))
        .anySatisfy(
            hint -> assertThat(hint).matches("q4: 1\\.73\\d \\(\\d+\\.\\d+ to \\d+\\.\\d+\\)"))
        .contains("q4, verbena: 7.000 s");
  }

  @Test
  void aQueryThatFailedHasNoSpeedUp() throws Exception {
    QueryOutcome good = outcome("q4", 12, 8, Map.of("mapped", 1L), Map.of());
    QueryOutcome.Run failed =
        new QueryOutcome.Run(
            OURS,
            new Verdict(Verdict.Kind.FAILED, "boom"),
            0,
            0.1,
            good.runs().get(1).metrics(),
            QueryOutcome.Checks.NONE);
    Document page = written(good, new QueryOutcome("q5", List.of(good.runs().get(0), failed)));
    assertThat(hints(page)).contains("q4: 1.500").noneMatch(hint -> hint.startsWith("q5: "));
    assertThat(texts(page, "p")).contains("NOT as it should be:");
    assertThat(texts(page, "li")).contains("q5 on verbena has faults, see above");
  }

  @Test
  void fallbacksAreListedWithTheirReasons() throws Exception {
    Document page =
        written(outcome("q4", 12, 8, Map.of("mapped", 1L), Map.of("connect <refused>", 3L)));
    assertThat(texts(page, "td")).contains("{connect <refused>=3}");
  }

  @Test
  void nothingIsFetchedFromElsewhere() throws Exception {
    String page = HtmlReport.page(report(outcome("q4", 12, 8, Map.of("mapped", 1L), Map.of())));
    assertThat(page.replace("http://www.w3.org/2000/svg", ""))
        .doesNotContain("http:", "https:", "src=", "href=", "url(", "<script", "@import");
  }

  private Document written(QueryOutcome... outcomes) throws Exception {
    Path file = folder.resolve("new/report.html");
    HtmlReport.write(file, report(outcomes));
    byte[] page = Files.readString(file).getBytes(StandardCharsets.UTF_8);
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(page));
  }

  private static JsonReport report(QueryOutcome... outcomes) {
    List<QueryOutcome> all = List.of(outcomes);
    return JsonReport.of(
        new JsonReport.Environment("4.2.0", "17", "Linux", 2, "local", 1024, "tmpfs", Map.of()),
        Scale.parse("1"),
        List.of(VANILLA, OURS),
        all,
        RunSummary.of(all));
  }

  private static QueryOutcome outcome(
      String query,
      double vanillaSeconds,
      double ourSeconds,
      Map<String, Long> bytes,
      Map<String, Long> fallbacks) {
    Verdict reference = Verdict.of(Verdict.Kind.NOT_COMPARED);
    Verdict equal = Verdict.of(Verdict.Kind.EQUAL);
    return new QueryOutcome(
        query,
        List.of(
            new QueryOutcome.Run(
                VANILLA,
                reference,
                1,
                vanillaSeconds,
                metrics(Map.of(), Map.of()),
                QueryOutcome.Checks.NONE),
            new QueryOutcome.Run(
                OURS, equal, 1, ourSeconds, metrics(bytes, fallbacks), QueryOutcome.Checks.NONE)));
  }

  private static JobMetrics metrics(Map<String, Long> bytes, Map<String, Long> fallbacks) {
    long read = bytes.values().stream().mapToLong(Long::longValue).sum();
    return new JobMetrics(
        new TaskTotals(0, 0, 0, 0, 0, 0, 0),
        new ShuffleTotals(0, 0, 0, 0, 250, read, 0, 0, 0),
        new CarrierTotals(new TreeMap<>(bytes), new TreeMap<>(), new TreeMap<>(fallbacks)));
  }

  /** What a browser shows when one points at a part of a plot. */
  private static List<String> hints(Document page) {
    return texts(page, "title");
  }

  private static List<String> texts(Document page, String element) {
    NodeList nodes = page.getElementsByTagName(element);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent());
    }
    return texts;
  }
}
