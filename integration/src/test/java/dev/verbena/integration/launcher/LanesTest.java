// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.launcher.Shell.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the launcher's lane runner on lanes whose commands are shell lines. */
final class LanesTest {
  private static final Path LIBRARY = Path.of("..", "bin", "lib", "lanes.sh").toAbsolutePath();

  @TempDir private Path home;
  private Path samples;

  @BeforeEach
  void writeSampleReports() throws Exception {
    samples = Files.createDirectories(home.resolve("samples"));
    sample(
        "mixed",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite name="a" time="1.5" tests="7" errors="1" skipped="2" failures="1">
          <testcase name="t"><system-out>&lt;testsuite tests="99"> <testsuite tests="50"/></system-out>
          </testcase>
        </testsuite>
        """);
    sample(
        "scalatest",
        """
        <?xml version="1.0" encoding="UTF-8" ?>
        <testsuite
          errors="0" failures="0" hostname="h" name="b" tests="3" time="0.1" timestamp="t">
        </testsuite>
        """);
    sample("skipped", "<testsuite tests=\"1\" errors=\"0\" skipped=\"1\" failures=\"0\"/>\n");
  }

  @Test
  void resultsOfAllLanesAreSummedOnTheLastLine() throws Exception {
    Outcome outcome =
        verify("one two", "one|1|.|" + report("scalatest"), "two|1|.|" + report("mixed"));
    assertThat(outcome.lastLine()).isEqualTo("6 passed, 2 failed, 2 skipped");
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.lines()).filteredOn(line -> line.contains(" passed")).hasSize(1);
  }

  @Test
  void lanesThatPassEndWithZero() throws Exception {
    Outcome outcome =
        verify("--all", "one|1|.|" + report("scalatest"), "two|1|.|" + report("scalatest"));
    assertThat(outcome.lastLine()).isEqualTo("6 passed, 0 failed, 0 skipped");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.lines()).anyMatch(line -> line.matches("lane one: 0\\.\\d min, 3 results"));
  }

  @Test
  void aLaneThatRunsNothingFails() throws Exception {
    Outcome outcome = verify("idle", "idle|1|.|true");
    assertThat(outcome.lines()).contains("lane idle: no test ran");
    assertThat(outcome.lastLine()).isEqualTo("0 passed, 1 failed, 0 skipped");
    assertThat(outcome.exitCode()).isEqualTo(1);
  }

  @Test
  void aLaneThatOnlySkipsFails() throws Exception {
    Outcome outcome = verify("idle", "idle|1|.|" + report("skipped"));
    assertThat(outcome.lastLine()).isEqualTo("0 passed, 1 failed, 1 skipped");
  }

  @Test
  void aBuildThatFailsOutsideItsTestsCountsAsAFailure() throws Exception {
    Outcome outcome = verify("broken", "broken|1|.|" + report("scalatest") + "; exit 3");
    assertThat(outcome.lines())
        .anyMatch(line -> line.contains("failed outside its tests, exit code 3"));
    assertThat(outcome.lastLine()).isEqualTo("3 passed, 1 failed, 0 skipped");
  }

  @Test
  void aLaneThatOutlastsItsTimeCountsAsAFailure() throws Exception {
    // 124 is what timeout(1) ends with.
    Outcome outcome = verify("slow", "slow|1|.|" + report("scalatest") + "; exit 124");
    assertThat(outcome.lines()).contains("lane slow: stopped after 1 min");
    assertThat(outcome.lastLine()).isEqualTo("3 passed, 1 failed, 0 skipped");
  }

  @Test
  void reportsOfEarlierRunsAreNotCounted() throws Exception {
    Path stale = home.resolve("old/target/surefire-reports/TEST-old.xml");
    Files.createDirectories(stale.getParent());
    Files.copy(samples.resolve("mixed"), stale);
    assertThat(verify("one", "one|1|.|" + report("scalatest")).lastLine())
        .isEqualTo("3 passed, 0 failed, 0 skipped");
  }

  @Test
  void aTestOfTheFaultCatalogueThatDidNotRunCountsAsAFailure() throws Exception {
    sample(
        "catalogued",
        """
        <testsuite name="c" tests="4" errors="0" skipped="1" failures="0">
          <testcase name="isRun" classname="a.b.SomeTest$Nested" time="0.1"/>
          <testcase name="isRunOften(int)[2]" classname="a.b.OtherTest" time="0.1">
          </testcase>
          <testcase name="isSkipped()[1]" classname="a.b.OtherTest" time="0.1">
            <skipped message="not here"/>
          </testcase>
          <testcase name="isLast" classname="a.b.OtherTest" time="0.1"/>
        </testsuite>
        """);
    Files.writeString(
        Files.createDirectories(home.resolve("docs")).resolve("faults.md"),
        """
        | id | elsewhere | here | lane | tests |
        |---|---|---|---|---|
        | F01 | a | b | one | `SomeTest$Nested.isRun`, `OtherTest.isRunOften` |
        | F02 | a | b | one | `OtherTest.isSkipped` |
        | F03 | a | b | one | `OtherTest.isLast`, `OtherTest.isRunOfte` |
        | F04 | a | b | two | `OtherTest.isOfAnotherLane` |
        | F05 | a | b | can't arise | |
        """);
    Outcome outcome = verify("one", "one|1|.|" + report("catalogued"));
    String missing = "lane one: a test of docs/faults.md did not run: OtherTest.";
    assertThat(outcome.lines())
        .filteredOn(line -> line.contains("faults.md"))
        .containsExactly(missing + "isSkipped (F02)", missing + "isRunOfte (F03)");
    assertThat(outcome.lastLine()).isEqualTo("3 passed, 2 failed, 1 skipped");
  }

  @Test
  void aLaneThatNoTimeIsLeftForFails() throws Exception {
    Outcome outcome = verify(Map.of("VERBENA_VERIFY_MINUTES", "0"), "one", "one|1|.|true");
    assertThat(outcome.lines()).contains("lane one: not run, the 0 min for all lanes are over");
    assertThat(outcome.lastLine()).isEqualTo("0 passed, 1 failed, 0 skipped");
  }

  @Test
  void aProcessLeftBehindDoesNotHoldTheLane() throws Exception {
    Outcome outcome = verify("one", "one|1|.|sleep 300 & echo $! > left; " + report("scalatest"));
    assertThat(outcome.lastLine()).isEqualTo("3 passed, 0 failed, 0 skipped");
    Shell.run(home, Map.of(), "bash", "-c", "kill $(cat left)");
  }

  private void sample(String name, String xml) throws Exception {
    Files.writeString(samples.resolve(name), xml);
  }

  /** The shell line that leaves a report as a module's tests do. */
  private String report(String sample) {
    return "mkdir -p m/target/surefire-reports && cp samples/%s m/target/surefire-reports/TEST-x.xml"
        .formatted(sample);
  }

  private Outcome verify(String arguments, String... lanes) throws Exception {
    return verify(Map.of(), arguments, lanes);
  }

  private Outcome verify(Map<String, String> environment, String arguments, String... lanes)
      throws Exception {
    Map<String, String> complete = new HashMap<>(environment);
    complete.put("VERBENA_HOME", home.toString());
    String table = "lanes=('" + String.join("' '", lanes) + "')";
    return Shell.run(
        home,
        complete,
        "bash",
        "-euo",
        "pipefail",
        "-c",
        ". '%s'; %s; verify %s".formatted(LIBRARY, table, arguments));
  }
}
